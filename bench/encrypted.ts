import {
  constants,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  webcrypto,
} from 'node:crypto';
import { openBenchService } from './bench-service.ts';
import { PAYMENT_KINDS } from './load/payment-kinds.ts';
import { requireTools, runWrk } from './load/wrk-load.ts';
import { CONNECTIONS, ROUNDS, SECONDS } from './options.ts';
import { type Cell, median, printMachine, printTable, runsText } from './table.ts';

/** More than two cores can open. */
const CARDS_PER_SECOND = 3_000;
/** As many as a busy service has on their way to the threads. */
const DECRYPTIONS_IN_FLIGHT = 32;
const MODULUS_BITS = 3_072;
const ALGORITHM = { name: 'RSA-OAEP', hash: 'SHA-256' };

/**
 * Payments by `encryptedCard` beside what this machine can do: how many times a second RSA opens such a
 * card, on one thread and on the threads that the service uses, and how many payments there are without it.
 */
export async function benchEncrypted(): Promise<void> {
  requireTools();
  const bench = await openBenchService();
  const pair = generateKeyPairSync('rsa', { modulusLength: MODULUS_BITS });
  const sample = publicEncrypt(oaep(pair.publicKey), Buffer.from('{"cardNumber":"5555660000000004"}'));
  const onThreads = await decryptOnThreads(pair.privateKey);
  const speeds = { one: [] as number[], threads: [] as number[] };
  const connectionsTried = CONNECTIONS.filter((connections) => connections > 1);
  const paid = new Map(
    connectionsTried.map((connections) => [
      connections,
      { with: [] as number[], without: [] as number[], p99: [] as number[] },
    ]),
  );
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      speeds.one.push(decryptOnOneThread(pair.privateKey, sample));
      speeds.threads.push(await onThreads(sample));
      for (const [connections, measured] of paid) {
        const stored = await bench.loadOf(PAYMENT_KINDS.stored, 0);
        measured.without.push((await runWrk(stored, connections, SECONDS)).perSecond);
        const encrypted = await bench.loadOf(PAYMENT_KINDS.encrypted, CARDS_PER_SECOND * SECONDS);
        const run = await runWrk(encrypted, connections, SECONDS);
        measured.with.push(run.perSecond);
        measured.p99.push(run.p99);
        console.error(
          `round ${round}, ${connections} connections:`,
          run,
          'RSA:',
          speeds.one.at(-1),
          speeds.threads.at(-1),
        );
      }
    }
    printMachine(bench.postgresVersion, runsText());
    report(speeds, paid);
  } finally {
    await bench.close();
  }
}

function report(
  speeds: { readonly one: readonly number[]; readonly threads: readonly number[] },
  paid: ReadonlyMap<number, { with: readonly number[]; without: readonly number[]; p99: readonly number[] }>,
): void {
  const threads = median(speeds.threads);
  console.log(
    `\nRSA-${MODULUS_BITS} with OAEP opens ${median(speeds.one).toFixed(0)}/s on one thread (\`crypto.privateDecrypt\`) and ` +
      `${threads.toFixed(0)}/s on the threads that the service uses (\`subtle.decrypt\`), with nothing else running.`,
  );
  const rows = [...paid].map(([connections, measured]): Cell[] => {
    const withCard = median(measured.with);
    const without = median(measured.without);
    // Where all cores are busy, the time of opening adds to the time of everything else.
    const bound = 1 / (1 / without + 1 / threads);
    return [
      connections,
      withCard.toFixed(0),
      median(measured.p99).toFixed(1),
      (withCard / threads).toFixed(2),
      without.toFixed(0),
      bound.toFixed(0),
      (withCard / bound).toFixed(2),
    ];
  });
  printTable(
    [
      'connections',
      'payments/s by encryptedCard',
      'p99 ms',
      'of RSA alone',
      'payments/s by stored card',
      'both in turns/s',
      'of that',
    ],
    rows,
  );
}

function oaep(key: KeyObject) {
  return { key, oaepHash: 'sha256', padding: constants.RSA_PKCS1_OAEP_PADDING };
}

function decryptOnOneThread(key: KeyObject, sample: Buffer): number {
  const options = oaep(key);
  const startedAt = performance.now();
  const endsAt = startedAt + SECONDS * 1_000;
  let opened = 0;
  for (; performance.now() < endsAt; opened += 1) privateDecrypt(options, sample);
  return (opened * 1_000) / (performance.now() - startedAt);
}

/** As the service does it: through WebCrypto, on the threads that Node has for such work. */
async function decryptOnThreads(key: KeyObject): Promise<(sample: Buffer) => Promise<number>> {
  const der = new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }));
  const imported = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['decrypt']);
  return async (sample) => {
    const bytes = new Uint8Array(sample);
    const startedAt = performance.now();
    const endsAt = startedAt + SECONDS * 1_000;
    let opened = 0;
    const openUntilTheEnd = async () => {
      for (; performance.now() < endsAt; opened += 1) {
        await webcrypto.subtle.decrypt({ name: ALGORITHM.name }, imported, bytes);
      }
    };
    await Promise.all(Array.from({ length: DECRYPTIONS_IN_FLIGHT }, openUntilTheEnd));
    return (opened * 1_000) / (performance.now() - startedAt);
  };
}
