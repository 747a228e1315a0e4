import { ContradictoryEntry } from '../kit/ledger.ts';
import type { ChargeContent, ChargeKind } from './charge-content.ts';
import { type Dialect, STANDARD } from './dialect.ts';
import { DueThings } from './due-things.ts';
import type {
  ChargeEntry,
  Entry,
  PixEntry,
  ReceiverEntry,
  RefundEndEntry,
  RefundEntry,
  RemovalEntry,
  RevisionEntry,
  WebhookEntry,
} from './entries.ts';
import { locationOf } from './ids.ts';
import type { LocRec } from './recurrence.ts';
import { Recurrences } from './recurrences.ts';

export type Refund = RefundEntry & { end: RefundEndEntry | null };
export type Pix = PixEntry & { readonly refunds: Map<string, Refund> };
export type ChargeStatus = 'ATIVA' | 'CONCLUIDA' | RemovalEntry['status'];

export type Charge = {
  readonly clientId: string;
  readonly kind: ChargeKind;
  readonly txid: string;
  readonly createdAt: number;
  readonly location: string;
  readonly locationId: number;
  /** The last is what holds; its index is the revision. */
  readonly contents: ChargeContent[];
  status: ChargeStatus;
  readonly pix: Pix[];
};

export type Webhook = { readonly chave: string; readonly url: string; readonly createdAt: number };

/** A receiver is a client of the API. */
export type Receiver = {
  readonly clientId: string;
  readonly secretMark: string;
  lastAt: number;
  dialect: Dialect;
  readonly charges: Map<string, Charge>;
  readonly pix: Pix[];
  readonly webhooks: Map<string, Webhook>;
  readonly recurrences: Recurrences;
  /** What happens by itself. */
  readonly due: DueThings;
};

/** All that the bank knows, made of its ledger's entries in their order. */
export class Books {
  readonly #receivers = new Map<string, Receiver>();
  readonly #ownerOfKey = new Map<string, string>();
  readonly #chargeAt = new Map<string, Charge>();
  readonly #pix = new Map<string, Pix>();
  readonly #locRecAt = new Map<string, { readonly receiver: Receiver; readonly locRec: LocRec }>();
  /** Counts entries: what is made of it is never made twice. */
  entries = 0;

  get receivers(): readonly Receiver[] {
    return [...this.#receivers.values()];
  }

  receiver(clientId: string): Receiver | undefined {
    return this.#receivers.get(clientId);
  }

  /** Null: nobody has used the key yet, and whoever does has it. */
  ownerOfKey(chave: string): string | null {
    return this.#ownerOfKey.get(chave) ?? null;
  }

  chargeAt(location: string): Charge | undefined {
    return this.#chargeAt.get(location);
  }

  /** Where an authorization is read, and whose it is. */
  locRecAt(location: string): { readonly receiver: Receiver; readonly locRec: LocRec } | null {
    return this.#locRecAt.get(location) ?? null;
  }

  pix(endToEndId: string): Pix | undefined {
    return this.#pix.get(endToEndId);
  }

  apply(entry: Entry): void {
    if (entry.type === 'receiver') this.#open(entry);
    else {
      const receiver = this.#receivers.get(entry.clientId);
      if (receiver === undefined) throw new ContradictoryEntry(`${entry.clientId} is no receiver`);
      receiver.lastAt = Math.max(receiver.lastAt, entry.at);
      this.#happen(receiver, entry);
    }
    this.entries += 1;
  }

  #open({ clientId, secretMark, at }: ReceiverEntry): void {
    if (this.#receivers.has(clientId)) throw new ContradictoryEntry(`${clientId} is opened twice`);
    const due = new DueThings();
    const nothing = {
      charges: new Map(),
      pix: [],
      webhooks: new Map(),
      recurrences: new Recurrences(due),
      due,
    };
    this.#receivers.set(clientId, { clientId, secretMark, lastAt: at, dialect: STANDARD, ...nothing });
  }

  #happen(receiver: Receiver, entry: Exclude<Entry, ReceiverEntry>): void {
    switch (entry.type) {
      case 'charge':
        this.#charge(receiver, entry);
        return;
      case 'revision':
        this.#revise(receiver, entry);
        return;
      case 'removal':
        activeCharge(receiver, entry.txid).status = entry.status;
        return;
      case 'pix':
        this.#arrive(receiver, entry);
        return;
      case 'refund':
        this.#refund(entry);
        return;
      case 'refundEnd':
        this.#endRefund(entry);
        return;
      case 'dialect':
        receiver.dialect = entry.dialect;
        return;
      case 'webhook':
        this.#setWebhook(receiver, entry);
        return;
      default:
        receiver.recurrences.apply(entry);
        if (entry.type === 'locrec') this.#indexLocation(receiver);
    }
  }

  #indexLocation(receiver: Receiver): void {
    const locRec = receiver.recurrences.locations.at(-1);
    if (locRec !== undefined) this.#locRecAt.set(locRec.location, { receiver, locRec });
  }

  #charge(receiver: Receiver, { clientId, kind, txid, at, content }: ChargeEntry): void {
    if (receiver.charges.has(txid) || receiver.recurrences.cobrs.has(txid))
      throw new ContradictoryEntry(`${txid} is charged twice`);
    const location = locationOf(kind, `${clientId} ${txid}`);
    const locationId = this.#chargeAt.size + 1;
    const first: Charge = {
      ...{ clientId, kind, txid, createdAt: at, location, locationId },
      ...{ contents: [content], status: 'ATIVA', pix: [] },
    };
    receiver.charges.set(txid, first);
    this.#chargeAt.set(location, first);
    receiver.due.wait(txid, { charge: first });
    this.#own(content.chave, receiver);
  }

  #revise(receiver: Receiver, { txid, content }: RevisionEntry): void {
    const charge = activeCharge(receiver, txid);
    charge.contents.push(content);
    receiver.due.wait(txid, { charge });
    this.#own(content.chave, receiver);
  }

  #arrive(receiver: Receiver, entry: PixEntry): void {
    const { endToEndId, txid } = entry;
    if (this.#pix.has(endToEndId)) throw new ContradictoryEntry(`${endToEndId} arrives twice`);
    const pix: Pix = { ...entry, refunds: new Map() };
    this.#pix.set(endToEndId, pix);
    receiver.pix.push(pix);
    if (txid === null) return;
    const charge = receiver.charges.get(txid);
    const cobr = receiver.recurrences.cobrs.get(txid);
    cobr?.pix.push(pix);
    if (charge === undefined) {
      if (cobr === undefined) throw new ContradictoryEntry(`${txid} is not charged`);
      return;
    }
    charge.pix.push(pix);
    // Money for what was taken away changes nothing of that.
    if (charge.status === 'ATIVA') charge.status = 'CONCLUIDA';
    receiver.due.wait(txid, { charge });
  }

  #refund(entry: RefundEntry): void {
    const refunds = this.#pix.get(entry.endToEndId)?.refunds;
    if (refunds === undefined || refunds.has(entry.id))
      throw new ContradictoryEntry(`${entry.id} gives back nothing, or again`);
    refunds.set(entry.id, { ...entry, end: null });
  }

  #endRefund(entry: RefundEndEntry): void {
    const refund = this.#pix.get(entry.endToEndId)?.refunds.get(entry.id);
    if (refund === undefined || refund.end !== null)
      throw new ContradictoryEntry(`${entry.id} is no open refund`);
    refund.end = entry;
  }

  #setWebhook(receiver: Receiver, { chave, url, at }: WebhookEntry): void {
    this.#own(chave, receiver);
    if (url === null) receiver.webhooks.delete(chave);
    else receiver.webhooks.set(chave, { chave, url, createdAt: at });
  }

  #own(chave: string, { clientId }: Receiver): void {
    if (!this.#ownerOfKey.has(chave)) this.#ownerOfKey.set(chave, clientId);
  }
}

/** What holds of the charge now. */
export function contentOf(charge: Charge): ChargeContent {
  return charge.contents.at(-1) as ChargeContent;
}

/** Of the Pix, what was given back or is on its way back. */
export function givenBack({ refunds }: Pix): number {
  return [...refunds.values()]
    .filter(({ end }) => end?.status !== 'NAO_REALIZADO')
    .reduce((sum, { amount }) => sum + amount, 0);
}

function activeCharge(receiver: Receiver, txid: string): Charge {
  const charge = receiver.charges.get(txid);
  if (charge?.status !== 'ATIVA') throw new ContradictoryEntry(`${txid} is no active charge`);
  return charge;
}
