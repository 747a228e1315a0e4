import type { ChaosBench } from '../../chaos-bench.ts';
import type { Gateway } from '../../gateways.ts';
import type { Finding } from '../../judge/finding.ts';
import type { Scene } from '../../rounds.ts';
import { orderOfPixBank } from '../bank-ledger.ts';
import { readSeriesBooks, type SeriesBooks } from './books.ts';
import { checkSeries } from './judge.ts';
import { moveOn, type Series, seriesOf } from './series.ts';

const MOST_LOOKS = 40;
/** What waits for its next look is looked at within hours of business time. */
const HOURS = 2;
const PAUSE_MILLISECONDS = 1_000;
const AT_ONCE = 6;

export type JudgedSeries = { readonly books: SeriesBooks; readonly findings: readonly Finding[] };

/** Each series of these rounds, once nothing of it is under way; what is not in order then is found. */
export async function judgeSeries(scene: Scene, rounds: string): Promise<JudgedSeries[]> {
  const all = seriesOf(scene.bench).filter(({ round }) => `${round}.`.startsWith(rounds));
  const judged: JudgedSeries[] = [];
  const left = all.values();
  const judge = async () => {
    for (const series of left) judged.push(await judgeOne(scene, series));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, judge));
  return judged;
}

/** Looked at again while something is not in order: what the faults left is worked off. */
async function judgeOne({ bench, fleet, chance }: Scene, series: Series): Promise<JudgedSeries> {
  const any = () => fleet.any(chance);
  for (let looks = 1; ; looks += 1) {
    const books = await readSeriesBooks(bench, series, any);
    const findings = checkSeries(books);
    if (findings.length === 0 || looks === MOST_LOOKS) return { books, findings };
    for (const { endToEndId, devolucoes = [] } of books.bank.arrived)
      for (const { id, status } of devolucoes)
        if (status === 'EM_PROCESSAMENTO')
          await orderOfPixBank(bench, 'refunds', { endToEndId, id, status: 'DEVOLVIDO' });
    // The sweep of what arrived goes by real time, looks by the merchant's.
    await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
    if (looks % 4 === 0) await moveOn(series, any, HOURS);
  }
}

/** What a later fault did to what was in order. */
export async function lookAtSeriesAgain(bench: ChaosBench, any: () => Promise<Gateway>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const series of seriesOf(bench))
    findings.push(...checkSeries(await readSeriesBooks(bench, series, any)));
  return findings;
}
