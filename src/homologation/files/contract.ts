import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { SETTLEMENT_FORMATS } from '../../reconciliation/settlement-entry.ts';
import type { Day } from '../../values/instant.ts';
import { FILE_FAULTS, type WantedFile } from './acquirer-file.ts';

const LARGEST_ROW = 500_000;

const FILE_QUERY = Type.Object({
  format: Type.Enum([...SETTLEMENT_FORMATS], {
    description: 'Adiq EDI 3.1, Cielo 04 (v15), or Rede: sales (EEVC) and payouts (EEFI).',
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

export const READ_ACQUIRER_FILE = contract({
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
    409: {
      description: 'The day is not over, the fault finds no row, or the file is too large for one answer.',
      schema: Type.Array(Type.Object({ tag: Type.String(), description: Type.String() })),
      example: [
        {
          tag: 'day',
          description:
            'Este dia ainda não terminou no tempo do seu estabelecimento: adiante o relógio de teste.',
        },
      ],
    },
  },
});

export function readFileQuery({ format, day, fault, row }: Static<typeof FILE_QUERY>): WantedFile {
  return { format, day: day as Day, fault: fault ?? null, row: row ?? 1 };
}
