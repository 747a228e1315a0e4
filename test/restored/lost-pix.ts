import assert from 'node:assert/strict';
import type { Reply } from '../kit/merchant.ts';
import { cancel, charge, type PixShop, pay, read, untilStatus } from '../pix/pix-service.ts';

type Made = { readonly paymentId: string; readonly txid: string };

/** Charges of a merchant by what became of them, and when. */
export type LostPix = {
  /** Paid before the moment, and given back in part in the lost time, with a key. */
  readonly part: Made;
  /** Waiting at the moment: taken away, and paid and given back, in the lost time. */
  readonly removed: Made;
  readonly late: Made;
  /** Made in the lost time. */
  lost?: Made;
};

const KEY_OF_PART = { headers: { 'idempotency-key': 'told-devolution' } };
const PART = 4_000;

async function made(shop: PixShop, change: object = {}): Promise<Made> {
  const reply = await charge(shop, change as never);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

export async function makePix(shop: PixShop): Promise<LostPix> {
  const part = await made(shop);
  await pay(shop, part.txid);
  await untilStatus(shop, part.paymentId, 'Paga');
  return { part, removed: await made(shop), late: await made(shop) };
}

export const giveBackPart = (shop: PixShop, { part }: LostPix, amount = PART): Promise<Reply> =>
  cancel(shop, part.paymentId, { amount }, KEY_OF_PART);

/** All answered 200. */
export async function losePix(shop: PixShop, pix: LostPix): Promise<void> {
  await pay(shop, pix.late.txid);
  await untilStatus(shop, pix.late.paymentId, 'Paga');
  for (const reply of [
    await giveBackPart(shop, pix),
    await cancel(shop, pix.removed.paymentId),
    await cancel(shop, pix.late.paymentId),
  ])
    assert.equal(reply.status, 200, reply.text);
  pix.lost = await made(shop);
}

export async function statusOf(shop: PixShop, { paymentId }: Made): Promise<string> {
  return (await read(shop, paymentId)).body.statusDescription as string;
}
