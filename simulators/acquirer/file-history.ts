import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Brand } from '../kit/cards/decline-codes.ts';
import { saoPauloDayOf } from '../kit/days.ts';
import type { FileFault } from '../kit/files/file-faults.ts';
import { Ledger } from '../kit/ledger.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { Acquirer, type Respond } from './acquirer.ts';
import type { Answer } from './answers.ts';
import { Charges } from './charges.ts';
import type { FileFormat } from './files.ts';
import { Scripts } from './scripts.ts';

/** What may happen in a history; `which` picks a sale, `portion` an amount in thousandths. */
export type HistoryStep =
  | {
      readonly kind: 'sell';
      readonly amount: number;
      readonly installments: number;
      readonly brand: Brand;
      readonly feePortion: number;
      readonly isLater: boolean;
      readonly isVoided: boolean;
    }
  | { readonly kind: 'cancel'; readonly which: number; readonly portion: number }
  | { readonly kind: 'block' | 'unblock'; readonly which: number; readonly installment: number }
  | {
      readonly kind: 'chargeback' | 'anticipate';
      readonly which: number;
      readonly installment: number;
      readonly portion: number;
    }
  | { readonly kind: 'wait'; readonly hours: number };

export const MERCHANT = '01700555550000';
const CARDS: Readonly<Record<Brand, string>> = {
  visa: '4111111111111111',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  elo: '6362970000457013',
  hipercard: '6062825624254001',
};

export type ChangeItem = {
  readonly reference: string;
  readonly installmentNumber: number | null;
  readonly type: string;
  readonly amount: number | null;
  readonly fee?: number;
  readonly anticipationFee?: number;
  readonly net?: number;
  readonly bankOn?: string;
};

/** The acquirer in the test's own process, at a time that the test moves. */
export class History {
  now = Date.parse('2026-02-26T15:00:00Z');
  readonly firstDay = saoPauloDayOf(this.now);
  readonly sold: { readonly reference: string; readonly amount: number; readonly installments: number }[] =
    [];
  readonly #acquirer: Acquirer;
  readonly #charges = new Charges();
  #serial = 0;

  constructor(t: TestContext) {
    const ledger = new Ledger(openSync(join(temporaryFolder(t), 'ledger'), 'a'), false, (error) => {
      throw error;
    });
    this.#acquirer = new Acquirer(this.#charges, ledger, new Scripts(), () => this.now);
  }

  async play(steps: readonly HistoryStep[]): Promise<void> {
    for (const step of steps) {
      if (step.kind === 'sell') await this.#sell(step);
      else if (step.kind === 'wait') this.now += step.hours * 3_600_000;
      else if (this.sold.length > 0) await this.#happen(step);
    }
  }

  /** What the feed of changes brings before now, as far as it is at the bank. */
  async changes(): Promise<ChangeItem[]> {
    const query = { merchantId: MERCHANT, after: 0, until: this.now - 1, limit: 100_000 };
    const { body } = await answered((respond) => this.#acquirer.tellChanges(query, respond));
    const today = saoPauloDayOf(this.now);
    return (body as { items: ChangeItem[] }).items.filter(({ bankOn = '' }) => bankOn < today);
  }

  async file(format: FileFormat, day: string, fault: FileFault | null = null, row = 1): Promise<Answer> {
    const query = { merchantId: MERCHANT, format, day, until: this.now, fault, position: row };
    return answered((respond) => this.#acquirer.writeFile(query, respond));
  }

  async #sell(step: Extract<HistoryStep, { kind: 'sell' }>): Promise<void> {
    const { amount, installments, brand, feePortion, isLater, isVoided } = step;
    this.#serial += 1;
    const reference = `019ac5a2-7b1e-7d11-9c55-${this.#serial.toString(16).padStart(12, '0')}`;
    const asked = { merchantId: MERCHANT, reference, amount };
    const undone = { merchantId: MERCHANT, steps: [scriptedFee(feePortion)], cancellations: [] };
    await answered((respond) => this.#acquirer.writeScript(undone, respond));
    const card = { number: CARDS[brand], brand, expiration: '12/30' };
    const capture = isLater ? 'later' : 'atOnce';
    const sale = { merchantReference: null, initiator: 'cardholder', capture, card } as const;
    await answered((respond) =>
      this.#acquirer.authorize({ ...asked, ...sale, installments, soldAt: this.now }, respond),
    );
    if (isVoided) return void (await answered((respond) => this.#acquirer.undo(asked, respond)));
    if (!isLater) return void this.sold.push({ reference, amount, installments });
    this.now += 30 * 3_600_000;
    const captured = { ...asked, amount: Math.max(1, amount - 1), captureReference: reference };
    await answered((respond) => this.#acquirer.capture({ ...captured, capturedAt: this.now }, respond));
    this.sold.push({ reference, amount: captured.amount, installments });
  }

  /** What cannot happen is refused, and leaves nothing. */
  async #happen(step: Exclude<HistoryStep, { kind: 'sell' | 'wait' }>): Promise<void> {
    const sale = this.sold[step.which % this.sold.length];
    if (sale === undefined) return;
    const asked = { merchantId: MERCHANT, reference: sale.reference };
    if (step.kind === 'cancel') {
      this.#serial += 1;
      const amount = Math.max(1, Math.floor((sale.amount * step.portion) / 1_000));
      const cancel = { ...asked, cancellationReference: `c${this.#serial}`, amount, requestedAt: this.now };
      await answered((respond) => this.#acquirer.cancel(cancel, respond));
      return;
    }
    const installmentNumber = (step.installment % sale.installments) + 1;
    const portion = 'portion' in step ? step.portion : 0;
    const some = Math.max(1, Math.floor(((sale.amount / sale.installments) * portion) / 1_000));
    const change = {
      block: { type: 'blocked', amount: null, anticipationFee: null },
      unblock: { type: 'unblocked', amount: null, anticipationFee: null },
      chargeback: { type: 'chargeback', amount: portion > 900 ? null : some, anticipationFee: null },
      anticipate: { type: 'settled', amount: null, anticipationFee: Math.ceil(some / 10) },
    } as const;
    const wanted = { ...asked, installmentNumber, ...change[step.kind], at: this.now };
    await answered((respond) => this.#acquirer.change(wanted, respond));
  }
}

function scriptedFee(feePortion: number) {
  const nothing = { outcome: 'approved', responseCode: null, adviceCode: null, fault: null } as const;
  return { ...nothing, delayMilliseconds: 0, undoRefusals: 0, notFoundTimes: 0, feePortion };
}

function answered(ask: (respond: Respond) => void): Promise<Answer> {
  return new Promise((resolve) => ask((answer) => resolve(answer)));
}
