import { createHash } from 'node:crypto';
import type { Ledger } from '../kit/ledger.ts';
import type { Books, Pix, Receiver } from './books.ts';
import { spoken } from './dialect.ts';
import { type Entry, type Happening, lineOf } from './entries.ts';
import { ISPB, tailOf } from './ids.ts';
import { cobrNotice, recNotice } from './recurrence-shapes.ts';
import type { Scripts } from './scripts.ts';
import { pixShape } from './shapes.ts';
import type { Tokens } from './tokens.ts';
import { paymentOf } from './triggers.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Between the name of a client and that of its customer. */
const CUSTOMER = '--';

/** The client whose key a receiver uses. */
export function clientOf(receiverId: string): string {
  return receiverId.split(CUSTOMER)[0] ?? receiverId;
}

/** Of one receiver in one turn; what is left follows with the next. */
const MOST_AT_ONCE = 100_000;

/**
 * The bank at work: what is decided is written to the ledger and applied in one turn of the event loop; every
 * answer, a refusal and a mere reading too, waits until all that it rests on is on the disk.
 */
export class Bank {
  readonly books: Books;
  readonly scripts: Scripts;
  readonly tokens: Tokens;
  readonly sender: WebhookSender;
  readonly #ledger: Ledger;
  readonly #clock: () => number;
  /** Instants that receivers were told; their time is the real one, or the latest that was said. */
  readonly #told = new Map<string, number>();
  readonly #willPass = new Set<Receiver>();

  constructor(
    books: Books,
    ledger: Ledger,
    beside: { scripts: Scripts; tokens: Tokens; sender: WebhookSender; clock: () => number },
  ) {
    this.books = books;
    this.#ledger = ledger;
    this.scripts = beside.scripts;
    this.tokens = beside.tokens;
    this.sender = beside.sender;
    this.#clock = beside.clock;
    for (const { pix } of books.receivers) for (const one of pix) this.#endOpenRefunds(one);
  }

  now({ clientId, lastAt }: Receiver): number {
    return Math.max(this.#clock(), this.#told.get(clientId) ?? 0, lastAt);
  }

  /** Moves a receiver's time on; never back. */
  tellTime(clientId: string, at: number): void {
    this.#told.set(clientId, Math.max(at, this.#told.get(clientId) ?? 0));
  }

  /** Whom the client's secret belongs to; it is whose it was first. Null: it is another one's. */
  receiverOf(clientId: string, secret: string): Receiver | null {
    const secretMark = createHash('sha256').update(secret).digest('hex');
    const known = this.books.receiver(clientId);
    if (known !== undefined) return known.secretMark === secretMark ? known : null;
    this.#book({ type: 'receiver', at: this.#clock(), clientId, secretMark });
    return this.books.receiver(clientId) as Receiver;
  }

  /** `clock`: a customer of the client, with a time and books of its own. */
  receiverFor(clientId: string, clock: string | null): Receiver | undefined {
    const client = this.books.receiver(clientId);
    if (client === undefined || clock === null || !/^\w{1,40}$/.test(clock)) return client;
    const own = `${clientId}${CUSTOMER}${clock}`;
    return this.books.receiver(own) ?? this.receiverOf(own, client.secretMark) ?? undefined;
  }

  /** All of it in one turn, and told when it is done. */
  book(receiver: Receiver, ...happenings: Happening[]): void {
    const { clientId } = receiver;
    for (const happening of happenings) {
      const arrived = happening.type === 'pix' ? { arrivedAt: this.#arrivedAt(receiver, happening) } : {};
      this.#book({ ...happening, ...arrived, at: this.now(receiver), clientId } as Entry);
    }
    for (const happening of happenings)
      if (happening.type === 'pix' || happening.type === 'refundEnd')
        this.#tellPix(receiver, happening.endToEndId);
      else if (happening.type === 'refund') this.#endOpenRefunds(this.books.pix(happening.endToEndId) as Pix);
    this.#tellRecurring(receiver, happenings);
    this.#passTimeSoon(receiver);
  }

  #arrivedAt({ clientId }: Receiver, { happenedAt }: { readonly happenedAt: number }): number {
    return clientOf(clientId) === clientId ? happenedAt : this.#clock();
  }

  /** What happens by itself up to now, in its order. */
  passTime(receiver: Receiver): void {
    for (let times = 0; times < MOST_AT_ONCE; times += 1) {
      const next = receiver.due.next(this.now(receiver));
      if (next === null) return;
      this.book(receiver, ...next.happenings);
    }
  }

  /** By the real clock, for receivers that nobody asks for. */
  passTimeOfAll(): void {
    if (this.#ledger.isClosed) return;
    for (const receiver of this.books.receivers) this.passTime(receiver);
  }

  /** Never the same twice. */
  uniqueOf(receiver: Receiver): string {
    return tailOf(`${ISPB} ${receiver.clientId} ${this.books.entries}`, 32);
  }

  afterDurable(act: () => void): void {
    this.#ledger.afterDurable(act);
  }

  /** Tells the receiver of a Pix, by the address of its key; one that belongs to no charge is not told. */
  #tellPix(receiver: Receiver, endToEndId: string): void {
    const pix = this.books.pix(endToEndId);
    const webhook = receiver.webhooks.get(pix?.chave ?? '');
    if (pix === undefined || pix.txid === null || webhook === undefined) return;
    const content = receiver.charges.get(pix.txid)?.contents[0];
    const times = content !== undefined && paymentOf(content.valor.original) === 'toldTwice' ? 2 : 1;
    for (let told = 0; told < times; told += 1)
      this.#tell(receiver, webhook.url, '/pix', { pix: [pixShape(pix)] });
  }

  /** Of authorizations and recurring charges that changed, once each. */
  #tellRecurring(receiver: Receiver, happenings: readonly Happening[]): void {
    const { webhooks, recs, cobrs } = receiver.recurrences;
    const [ofRec, ofCobR] = [webhooks.get('rec'), webhooks.get('cobr')];
    const changed = (types: readonly string[], name: string) =>
      new Set(happenings.flatMap((one) => (types.includes(one.type) ? String(Reflect.get(one, name)) : [])));
    for (const idRec of changed(['recStatus'], 'idRec')) {
      const rec = recs.get(idRec);
      if (ofRec !== undefined && rec !== undefined)
        this.#tell(receiver, ofRec.url, '/rec', { recs: [recNotice(rec)] });
    }
    for (const txid of changed(['cobrStatus', 'attemptStatus', 'attempt'], 'txid')) {
      const cobr = cobrs.get(txid);
      const body = { cobsr: cobr === undefined ? [] : [cobrNotice(cobr)] };
      if (ofCobR !== undefined && cobr !== undefined) this.#tell(receiver, ofCobR.url, '/cobr', body);
    }
  }

  #passTimeSoon(receiver: Receiver): void {
    if (this.#willPass.has(receiver)) return;
    this.#willPass.add(receiver);
    this.afterDurable(() =>
      setImmediate(() => {
        this.#willPass.delete(receiver);
        if (!this.#ledger.isClosed) this.passTime(receiver);
      }),
    );
  }

  #tell({ clientId, dialect }: Receiver, address: string, path: string, body: object): void {
    const url = dialect.webhookPath ? address + path : address;
    const fault = this.scripts.nextWebhook(clientId);
    const text = spoiled(
      JSON.stringify(spoken(body, dialect)),
      fault === 'wrongAmount',
      fault === 'unknownPix',
    );
    this.afterDurable(() => this.sender.send({ clientId, url, body: text }, fault));
  }

  /** After the answer: what is asked for next is done by then. */
  #endOpenRefunds({ clientId, endToEndId, refunds }: Pix): void {
    for (const { id, plan, end } of refunds.values()) {
      if (end !== null || plan === 'waits') continue;
      this.afterDurable(() =>
        setImmediate(() => {
          const receiver = this.books.receiver(clientId);
          const isOpen = this.books.pix(endToEndId)?.refunds.get(id)?.end === null;
          if (receiver === undefined || !isOpen || this.#ledger.isClosed) return;
          const fails = plan === 'fails';
          const status = fails ? 'NAO_REALIZADO' : 'DEVOLVIDO';
          const motivo = fails ? 'Recusada pelo participante do pagador' : null;
          this.book(receiver, { type: 'refundEnd', endToEndId, id, status, motivo });
        }),
      );
    }
  }

  #book(entry: Entry): void {
    // Applied first: what contradicts the books is a mistake of this program, and must not reach the file.
    this.books.apply(entry);
    this.#ledger.append(lineOf(entry));
  }
}

/** With another amount, or with a Pix that there is not. */
function spoiled(body: string, isAmount: boolean, isPix: boolean): string {
  const amount = isAmount ? body.replaceAll(/"valor":"\d/g, (head) => head.replace(/\d$/, other)) : body;
  return isPix ? amount.replaceAll(/"endToEndId":"E\d{8}/g, '"endToEndId":"E00000000') : amount;
}

function other(digit: string): string {
  return digit === '9' ? '8' : '9';
}
