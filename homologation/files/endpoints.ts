import { type Static, Type } from 'typebox';
import type { BusinessClock } from '../../src/platform/business-clock.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../../src/platform/http/endpoint.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../src/platform/http/refusal.ts';
import { SETTLEMENT_FORMATS } from '../../src/reconciliation/settlement-entry.ts';
import { type Day, utcText } from '../../src/values/instant.ts';
import { askSimulator } from '../ask-simulator.ts';
import {
  boundedText,
  FILE_FAULTS,
  type FileRefusal,
  type WantedFile,
  type WrittenFile,
} from './acquirer-file.ts';

type FileTools = { readonly simulatorUrl: string; readonly clock: BusinessClock };

const TIMEOUT_MILLISECONDS = 10_000;
/** Checked, because it goes into a header of our answer. */
const NAME = /filename="([\w.-]{1,100})"/;
const OTHER_NAME = 'acquirer-file.txt';

/** The simulator's file of a merchant's day. Throws when it does not answer. */
async function readAcquirerFile(
  { simulatorUrl, clock }: FileTools,
  merchantId: string,
  { format, day, fault, row }: WantedFile,
): Promise<WrittenFile> {
  const until = utcText(clock.now(merchantId));
  const response = await askSimulator(simulatorUrl, '/files', {
    query: { merchantId, format, day, until, row: String(row), fault: fault ?? undefined },
    refusals: [409, 413],
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
  });
  if (!response.ok) return { kind: 'refused', refusal: refusalOf(await response.json()) };
  const content = await boundedText(response);
  if (content === null) return { kind: 'refused', refusal: 'tooLarge' };
  const name = NAME.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? OTHER_NAME;
  return { kind: 'written', name, content };
}

function refusalOf(body: unknown): FileRefusal {
  const { error } = body as { error?: unknown };
  const known = (['dayNotOver', 'noSuchRow', 'tooLarge'] as const).find((refusal) => refusal === error);
  if (known === undefined) throw new Error('the simulator refused for a reason that is not known');
  return known;
}

export const FILE_REFUSALS = {
  dayNotOver: refusal(409, 'day', {
    pt: 'Este dia ainda não terminou no tempo do seu estabelecimento: adiante o relógio de teste.',
    en: "This day is not over in your merchant's time: move the test clock forward.",
  }),
  noSuchRow: refusal(409, 'row', {
    pt: 'O arquivo deste dia não tem uma linha em que essa falha caiba.',
    en: 'The file of this day has no row in which that fault could be.',
  }),
  tooLarge: conflict({
    pt: 'O arquivo deste dia é grande demais para uma resposta.',
    en: 'The file of this day is too large for one answer.',
  }),
} as const satisfies Record<FileRefusal, RefusalShape>;

const LARGEST_ROW = 500_000;

/** The simulator sells by credit cards alone, and nobody sends a file of the statement API: it is fetched. */
const NOT_SIMULATED = ['redeStatement', 'redeEevd', 'cielo09', 'cielo15', 'cielo16'] as const;
type NotSimulated = (typeof NOT_SIMULATED)[number];
const SIMULATED_FORMATS = SETTLEMENT_FORMATS.filter(
  (format): format is Exclude<typeof format, NotSimulated> => !NOT_SIMULATED.some((one) => one === format),
);

const FILE_QUERY = Type.Object({
  format: Type.Enum(SIMULATED_FORMATS, {
    description:
      'Adiq EDI 3.1, Cielo (v15) and Rede: sales (03, EEVC) and payouts (04, EEFI), or Getnet (V10).',
  }),
  day: Type.String({
    format: 'day',
    maxLength: 10,
    description: "A day of your merchant's time that is over, YYYY-MM-DD in São Paulo.",
  }),
  fault: Type.Optional(
    Type.Enum([...FILE_FAULTS], { description: 'What is to be wrong in it; absent: nothing is.' }),
  ),
  row: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LARGEST_ROW,
      description: 'In which payout (EEVC: installment of a sale) the fault is; absent: in the first.',
    }),
  ),
});

const READ_ACQUIRER_FILE = contract({
  id: 'readAcquirerFile',
  method: 'GET',
  path: '/homologation/acquirer/files',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the acquirer's file of a day",
  description:
    "What an acquirer's settlement file would say of a day of your merchant, written by the simulator from its own ledger. The same day " +
    'gives the same file. With `fault` it differs from the ledger in one row, for trying what reconciliation finds.',
  homologationOnly: true,
  query: FILE_QUERY,
  answers: {
    200: {
      description: 'The file, to be saved under the name in Content-Disposition.',
      contentType: 'text/plain',
    },
    409: refusedAnswer(
      'The day is not over, the fault finds no row, or the file is too large for one answer.',
      FILE_REFUSALS.dayNotOver,
    ),
  },
});

function readFileQuery({ format, day, fault, row }: Static<typeof FILE_QUERY>): WantedFile {
  return { format, day: day as Day, fault: fault ?? null, row: row ?? 1 };
}

export const FILE_ENDPOINTS: readonly Endpoint<FileTools>[] = [
  endpoint(READ_ACQUIRER_FILE, async (tools: FileTools, call) => {
    const file = await readAcquirerFile(tools, callerOf(call).merchantId, readFileQuery(call.query));
    if (file.kind === 'refused') return refusalAnswer(FILE_REFUSALS[file.refusal], call.language);
    return {
      status: 200,
      text: { content: file.content, type: 'text/plain; charset=us-ascii' },
      headers: { 'content-disposition': `attachment; filename="${file.name}"` },
    };
  }),
];
