import { findBoleto } from '../../boletos/boletos.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { saoPauloDay, utcText } from '../../values/instant.ts';
import type { BankTools, BoletoEventResult, WantedBoletoEvent } from './boleto-event.ts';

const TIMEOUT_MILLISECONDS = 5_000;

/**
 * Has the bank's simulator book an event at the merchant's business time, and pulls it: its effects
 * are those of the bank. Throws when the simulator does not answer; then it may have happened, and
 * comes by itself.
 */
export async function askForBoletoEvent(
  tools: BankTools | null,
  merchantId: string,
  wanted: WantedBoletoEvent,
): Promise<BoletoEventResult> {
  if (tools === null) return { kind: 'refused', refusal: 'noSimulator' };
  const { bankUrl, feed } = tools;
  const { database, clock } = feed;
  const { event, amount, paidOn } = wanted;
  const key = { merchantId, boletoId: wanted.boletoId };
  const before = isUuid(wanted.boletoId) ? await findBoleto(database, key) : null;
  if (before === null) return { kind: 'refused', refusal: 'notFound' };
  const isInTime =
    paidOn === null || (paidOn >= before.issuedOn && paidOn <= saoPauloDay(clock.now(merchantId)));
  if (!isInTime) return { kind: 'refused', refusal: 'notThatDay' };
  const response = await fetch(new URL('/changes', bankUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      merchantId,
      ourNumber: before.ourNumber,
      event,
      ...(amount === null ? {} : { amount }),
      ...(paidOn === null ? {} : { paidOn }),
      at: utcText(clock.now(merchantId)),
    }),
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  if (response.status === 404 || response.status === 409) return { kind: 'refused', refusal: 'forbidden' };
  if (!response.ok) throw new Error(`the simulator of the bank answered ${response.status}`);
  await feed.pullAndApplyOf(merchantId);
  return { kind: 'happened', boleto: (await findBoleto(database, key)) ?? before };
}
