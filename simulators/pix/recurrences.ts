import { ContradictoryEntry } from '../kit/ledger.ts';
import type { DueThings } from './due-things.ts';
import { locationOf } from './ids.ts';
import type { CobR, Dated, LocRec, Rec, SolicRec } from './recurrence.ts';
import type { CobRStatus, RecStatus, RecurrenceEntry, SolicStatus } from './recurrence-entries.ts';
import { triesOf } from './triggers.ts';

/** All recurring of one receiver. */
export class Recurrences {
  readonly locations: LocRec[] = [];
  readonly recs = new Map<string, Rec>();
  readonly solicRecs = new Map<string, SolicRec>();
  readonly cobrs = new Map<string, CobR>();
  readonly webhooks = new Map<'rec' | 'cobr', { readonly url: string; readonly createdAt: number }>();
  readonly #due: DueThings;

  constructor(due: DueThings) {
    this.#due = due;
  }

  apply(entry: RecurrenceEntry): void {
    switch (entry.type) {
      case 'locrec': {
        const id = this.locations.length + 1;
        const location = locationOf('rec', `${entry.clientId} ${id}`);
        this.locations.push({ id, location, createdAt: entry.at, idRec: null });
        return;
      }
      case 'locrecFreed':
        this.location(entry.id).idRec = null;
        return;
      case 'ownWebhook':
        if (entry.url === null) this.webhooks.delete(entry.of);
        else this.webhooks.set(entry.of, { url: entry.url, createdAt: entry.at });
        return;
      case 'solicrec':
      case 'solicrecStatus':
        this.#applyToSolicRec(entry);
        return;
      case 'cobr':
      case 'cobrStatus':
      case 'attempt':
      case 'attemptStatus':
        this.#applyToCobR(entry);
        return;
      default:
        this.#applyToRec(entry);
    }
  }

  location(id: number): LocRec {
    const location = this.locations[id - 1];
    if (location === undefined) throw new ContradictoryEntry(`there is no location ${id}`);
    return location;
  }

  rec(idRec: string): Rec {
    return known(this.recs.get(idRec), idRec);
  }

  #applyToRec(
    entry: Extract<RecurrenceEntry, { type: 'rec' | 'recRevision' | 'recStatus' | 'payer' }>,
  ): void {
    const { idRec, at } = entry;
    if (entry.type === 'rec') {
      if (this.recs.has(idRec)) throw new ContradictoryEntry(`${idRec} is there twice`);
      const history: Dated<RecStatus>[] = [{ status: 'CRIADA', at }];
      const open = { journey: null, ending: null, ceiling: null, cobrs: [], solicRecs: [] };
      const payerSteps = triesOf(entry.content.valor?.valorRec);
      this.recs.set(idRec, { idRec, createdAt: at, content: entry.content, history, payerSteps, ...open });
      this.#place(idRec, null, entry.content.loc);
    }
    const rec = this.rec(idRec);
    if (entry.type === 'recRevision') {
      this.#place(idRec, rec.content.loc ?? null, entry.content.loc);
      rec.content = entry.content;
    } else if (entry.type === 'recStatus') {
      rec.history.push({ status: entry.status, at: entry.happenedAt });
      rec.journey ??= entry.journey;
      rec.ending = entry.ending;
      rec.ceiling = entry.ceiling ?? rec.ceiling;
    } else if (entry.type === 'payer') rec.payerSteps = entry.steps;
    this.#due.wait(idRec, { rec });
  }

  #place(idRec: string, before: number | null, loc: number | undefined): void {
    if (before !== null) this.location(before).idRec = null;
    if (loc !== undefined) this.location(loc).idRec = idRec;
  }

  #applyToSolicRec(entry: Extract<RecurrenceEntry, { type: 'solicrec' | 'solicrecStatus' }>): void {
    const { idSolicRec, at } = entry;
    if (entry.type === 'solicrec') {
      const history: Dated<SolicStatus>[] = [{ status: 'CRIADA', at }];
      const solicRec = { idSolicRec, createdAt: at, content: entry.content, history };
      this.solicRecs.set(idSolicRec, solicRec);
      this.rec(entry.content.idRec).solicRecs.push(solicRec);
    }
    const solicRec = known(this.solicRecs.get(idSolicRec), idSolicRec);
    if (entry.type === 'solicrecStatus')
      solicRec.history.push({ status: entry.status, at: entry.happenedAt });
    this.#due.wait(idSolicRec, { solicRec });
  }

  #applyToCobR(
    entry: Extract<RecurrenceEntry, { type: 'cobr' | 'cobrStatus' | 'attempt' | 'attemptStatus' }>,
  ): void {
    const { txid, at } = entry;
    if (entry.type === 'cobr') {
      if (this.cobrs.has(txid)) throw new ContradictoryEntry(`${txid} is charged twice`);
      const rec = this.rec(entry.content.idRec);
      const history: Dated<CobRStatus>[] = [{ status: 'CRIADA', at }];
      const nothing = { attempts: [], pix: [], ending: null };
      const cobr: CobR = { txid, createdAt: at, content: entry.content, rec, history, ...nothing };
      this.cobrs.set(txid, cobr);
      rec.cobrs.push(cobr);
    }
    const cobr = known(this.cobrs.get(txid), txid);
    if (entry.type === 'cobrStatus') {
      cobr.history.push({ status: entry.status, at: entry.happenedAt });
      cobr.ending = entry.ending;
    } else if (entry.type === 'attempt') {
      const { endToEndId, tipo, on } = entry;
      const [step = { plan: 'pays', code: null }, ...rest] = cobr.rec.payerSteps;
      cobr.rec.payerSteps = rest;
      cobr.attempts.push({
        endToEndId,
        tipo,
        on,
        step,
        history: [{ status: 'SOLICITADA', at }],
        ending: null,
      });
    } else if (entry.type === 'attemptStatus') {
      const attempt = known(cobr.attempts.at(-1), txid);
      attempt.history.push({ status: entry.status, at: entry.happenedAt });
      attempt.ending = entry.ending;
    }
    this.#due.wait(txid, { cobr });
  }
}

function known<T>(thing: T | undefined, name: string): T {
  if (thing === undefined) throw new ContradictoryEntry(`there is no ${name}`);
  return thing;
}
