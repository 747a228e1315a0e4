import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RedeStatementWriter } from '../packages/settlement-files/src/acquirers/rede/write-rede-statement.ts';
import {
  adiqHeader,
  adiqLot,
  adiqLotTrailer,
  adiqSale,
  adiqTrailer,
} from '../packages/settlement-files/test/adiq-lines.ts';
import {
  cieloEntry,
  cieloHeader,
  cieloNegotiatedUnit,
  cieloNegotiation,
  cieloNegotiationAccount,
  cieloPixDetail,
  cieloTrailer,
  cieloUnit,
} from '../packages/settlement-files/test/cielo-lines.ts';
import {
  eefiBranchTotal,
  eefiCredit,
  eefiHeader,
  eefiTrailer,
} from '../packages/settlement-files/test/eefi-lines.ts';
import {
  branchHeader,
  eevcBatch,
  eevcBranchTotal,
  eevcEcommerce,
  eevcHeader,
  eevcSale,
  eevcTrailer,
} from '../packages/settlement-files/test/eevc-lines.ts';
import {
  eevdBatch,
  eevdHeader,
  eevdSale,
  eevdTrailer,
} from '../packages/settlement-files/test/eevd-lines.ts';
import {
  getnetBatch,
  getnetHeader,
  getnetSale,
  getnetTrailer,
} from '../packages/settlement-files/test/getnet-lines.ts';
import { bytesOf, digits } from '../packages/settlement-files/test/written-lines.ts';
import { readSettlementEvents } from '../src/reconciliation/imports/read-settlement-events.ts';
import type { SettlementFormat } from '../src/reconciliation/settlement-entry.ts';
import { countWanted } from './options.ts';
import { type Cell, printMachine, printTable } from './table.ts';

const LINES = countWanted('lines', 1_000_000);
const MEGABYTE = 1024 * 1024;
const SALES_IN_A_BLOCK = 500;
const SAMPLED_ENTRIES = 10_000;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const FEE = 250;
/** No two sales of a block have the same amount. */
const grossOf = (nsu: number) => 10_000 + nsu * 17;
const netOf = (nsu: number) => grossOf(nsu) - FEE;

/** A file of one block, over and over; `renumbered` where each line has its own number. */
type BenchFile = {
  readonly head: readonly string[];
  readonly block: readonly string[];
  readonly tail: (blocks: number) => readonly string[];
  readonly renumberAt: number | null;
};

/** Whether a file of a million lines is read fast, and in memory that does not grow with it. */
export async function benchSettlementFiles(): Promise<void> {
  const rows: Cell[][] = [];
  for (const [format, file] of Object.entries(FILES)) rows.push(await measure(format, file));
  printMachine('none', `files of ${LINES} lines, read with their SHA-256, checked, every entry taken`);
  printTable(
    [
      'format',
      'lines',
      'MB',
      'entries',
      'seconds',
      'lines/s',
      'in use at 20% MB',
      'at 80% MB',
      'resident MB',
    ],
    rows,
  );
}

async function measure(format: string, file: BenchFile): Promise<Cell[]> {
  const blocks = Math.floor(LINES / file.block.length);
  const lines = file.head.length + blocks * file.block.length + file.tail(blocks).length;
  let [bytes, entries, resident] = [0, 0, 0];
  const inUse: number[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunksOf(file, blocks)) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const startedAt = performance.now();
  let lineCount = 0;
  for await (const event of readSettlementEvents(chunks())) {
    if (event.type === 'end') lineCount = event.end.lineCount;
    if (event.type !== 'entry') continue;
    entries += 1;
    if (entries % SAMPLED_ENTRIES !== 0) continue;
    resident = Math.max(resident, process.memoryUsage().rss);
    if (bytes > (inUse.length === 0 ? 0.2 : 0.8) * expectedBytes(file, blocks) && inUse.length < 2) {
      collect();
      inUse.push(process.memoryUsage().heapUsed);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  if (lineCount !== lines) throw new Error(`${format} was not read to its end`);
  const megabytes = (value: number) => (value / MEGABYTE).toFixed(0);
  return [
    format,
    lines,
    megabytes(bytes),
    entries,
    seconds.toFixed(1),
    Math.round(lines / seconds),
    ...inUse.map(megabytes),
    megabytes(resident),
  ];
}

function expectedBytes({ block }: BenchFile, blocks: number): number {
  return blocks * block.reduce((sum, line) => sum + line.length + 1, 0);
}

/** In pieces as a file of the disk comes. */
function* chunksOf({ head, block, tail, renumberAt }: BenchFile, blocks: number): Generator<Uint8Array> {
  yield bytesOf(head, '\n');
  const bytes = Buffer.from(bytesOf(block, '\n'));
  const length = (block[0]?.length ?? 0) + 1;
  for (let index = 0; index < blocks; index += 1) {
    if (renumberAt !== null) {
      for (let line = 0; line < block.length; line += 1) {
        const number = head.length + index * block.length + line + 1;
        bytes.write(digits(number % 1_000_000, 6), line * length + renumberAt - 1, 'latin1');
      }
    }
    for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
  }
  yield bytesOf(tail(blocks), '\n');
}

const sales = Array.from({ length: SALES_IN_A_BLOCK }, (_, index) => index + 1);
const sumOf = (amountOf: (nsu: number) => number) => sales.reduce((sum, nsu) => sum + amountOf(nsu), 0);
const [GROSS, NET] = [sumOf(grossOf), sumOf(netOf)];
const lastDigits = (value: number, length: number) => value % 10 ** length;
const numberedLine = (text: string, from: number, value: number) =>
  text.slice(0, from - 1) + digits(lastDigits(value, 6), 6) + text.slice(from + 5);

function adiq(): BenchFile {
  const block = sales.map((nsu) => adiqSale({ nsu, gross: grossOf(nsu), fee: FEE, order: `order-${nsu}` }));
  return {
    head: [numberedLine(adiqHeader(), 73, 1), numberedLine(adiqLot('20261120'), 13, 2)],
    block,
    tail: (blocks) => {
      const count = blocks * block.length;
      const lot = adiqLotTrailer(lastDigits(count, 6), blocks * NET);
      return [
        numberedLine(lot, 23, count + 3),
        numberedLine(adiqTrailer(lastDigits(count + 4, 6)), 9, count + 4),
      ];
    },
    renumberAt: 501,
  };
}

function cielo(): BenchFile {
  const count = sales.length;
  const unit = cieloUnit({ type: '02', count, gross: GROSS, net: NET });
  const block = [
    unit,
    ...sales.map((nsu) => cieloEntry({ type: '02', nsu, gross: grossOf(nsu), net: netOf(nsu) })),
  ];
  return {
    head: [cieloHeader()],
    block,
    tail: (blocks) => {
      return [cieloTrailer(blocks * block.length, blocks * count, blocks * GROSS, blocks * NET)];
    },
    renumberAt: null,
  };
}

function cielo03(): BenchFile {
  const count = sales.length;
  return {
    head: [cieloHeader({ statement: '03' })],
    block: sales.map((nsu) => cieloEntry({ type: '02', nsu, gross: grossOf(nsu), net: netOf(nsu) })),
    tail: (blocks) => [cieloTrailer(blocks * count, blocks * count, blocks * GROSS, blocks * NET)],
    renumberAt: null,
  };
}

function cielo15(): BenchFile {
  return {
    head: [cieloHeader({ statement: '15' })],
    block: [
      cieloNegotiation(GROSS, NET),
      ...sales.map((nsu) => cieloNegotiatedUnit(grossOf(nsu), netOf(nsu))),
      cieloNegotiationAccount(NET),
    ],
    tail: (blocks) => [cieloTrailer(blocks * (sales.length + 2), 0, 0, 0)],
    renumberAt: null,
  };
}

function cielo09(): BenchFile {
  const unit = (nsu: number) => ({ type: '02', count: 1, gross: grossOf(nsu), net: netOf(nsu) });
  return {
    head: [cieloHeader({ statement: '09' })],
    block: sales.map((nsu) => cieloUnit({ ...unit(nsu), status: '00' })),
    tail: (blocks) => [cieloTrailer(blocks * sales.length, 0, blocks * GROSS, blocks * NET)],
    renumberAt: null,
  };
}

function cielo16(): BenchFile {
  return {
    head: [cieloHeader({ statement: '16' })],
    block: sales.map((nsu) => cieloPixDetail({ gross: grossOf(nsu), fee: FEE })),
    tail: (blocks) => [cieloTrailer(blocks * sales.length, 0, blocks * GROSS, blocks * NET)],
    renumberAt: null,
  };
}

function eevc(): BenchFile {
  const count = sales.length;
  const sale = (nsu: number) => ({ batch: 700, nsu, gross: grossOf(nsu), fee: FEE });
  const batch = eevcBatch({ number: 700, count, gross: GROSS, fee: count * FEE });
  const block = [batch, ...sales.flatMap((nsu) => [eevcSale(sale(nsu)), eevcEcommerce('034', sale(nsu))])];
  return {
    head: [eevcHeader(), branchHeader('004')],
    block,
    tail: (blocks) => {
      const all = blocks * count;
      const accepted = lastDigits(all, 6);
      const totals = { gross: blocks * GROSS, fee: all * FEE, rejected: 0, rejectedCount: 0, accepted };
      const lines = lastDigits(blocks * block.length + 4, 6);
      return [eevcBranchTotal(totals), eevcTrailer(1, lines, totals)];
    },
    renumberAt: null,
  };
}

/** One batch: each batch stands in a file once. */
function eevd(): BenchFile {
  const sale = (nsu: number) => ({ batch: 700, nsu, gross: grossOf(nsu), fee: FEE });
  return {
    head: [eevdHeader()],
    block: sales.map((nsu) => eevdSale(sale(nsu))),
    tail: (blocks) => {
      const count = blocks * sales.length;
      const sums = { gross: blocks * GROSS, fee: count * FEE };
      const lines = lastDigits(count + 3, 6);
      return [
        eevdBatch({ number: 700, count, ...sums }),
        eevdTrailer(lines, { batches: 1, sales: count, ...sums }),
      ];
    },
    renumberAt: null,
  };
}

function eefi(): BenchFile {
  const block = sales.map((batch) =>
    eefiCredit({ batch, net: netOf(batch), gross: grossOf(batch), fee: FEE }),
  );
  return {
    head: [eefiHeader(), branchHeader('032')],
    block,
    tail: (blocks) => {
      const count = blocks * block.length;
      const totals = (width: number) => [
        [lastDigits(count, width), blocks * NET] as const,
        [0, 0] as const,
        [0, 0] as const,
        [0, 0] as const,
      ];
      return [eefiBranchTotal(totals(6)), eefiTrailer(1, lastDigits(count + 4, 6), totals(4))];
    },
    renumberAt: null,
  };
}

function redeStatement(): BenchFile {
  const day = '2026-11-20';
  const installments = sales.map((nsu) => ({
    ...{
      nsu: String(nsu),
      soldOn: day,
      installmentNumber: 1,
      installmentCount: 1,
      batch: '1',
      tid: `T${nsu}`,
    },
    ...{ gross: 10_000, fee: 250, net: 9_750, orderReference: `order-${nsu}` },
  }));
  const ofBank = { deposit: 'P20261120001', status: 'PAID', type: 'CREDIT', brand: '2' };
  const deposit = { ...ofBank, net: sales.length * 9_750, installments, debits: [] };
  const writer = () => new RedeStatementWriter('12345678', day);
  return {
    head: [writer().header()],
    block: writer().deposit(deposit),
    tail(blocks) {
      const all = writer();
      for (let block = 0; block < blocks; block += 1) all.deposit(deposit);
      return [all.trailer()];
    },
    renumberAt: null,
  };
}

function getnet(): BenchFile {
  return {
    head: [getnetHeader()],
    block: [getnetBatch({ batch: 1, status: 'PG', net: 9_750 }), getnetSale(1)],
    tail: (blocks) => [getnetTrailer(blocks * 2 + 2)],
    renumberAt: null,
  };
}

const FILES: Readonly<Record<SettlementFormat, BenchFile>> = {
  adiq: adiq(),
  cielo03: cielo03(),
  cielo04: cielo(),
  cielo09: cielo09(),
  cielo15: cielo15(),
  cielo16: cielo16(),
  redeEevc: eevc(),
  redeEevd: eevd(),
  redeEefi: eefi(),
  redeStatement: redeStatement(),
  getnet: getnet(),
};
