import { type Static, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import type { Day } from '../../values/instant.ts';
import { RETURN_FILE_FAULTS, type WantedReturnFile } from './bank-paper.ts';

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));
const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()]);

export const BANK_BOLETOS = contract({
  id: 'listBankBoletos',
  method: 'GET',
  path: '/homologation/bank/boletos',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the ledger of the bank's simulator",
  description:
    "What the bank's side has booked of your merchant's boletos, kept apart from the gateway, with bar codes of its own computing (newest last, " +
    'at most 100).',
  homologationOnly: true,
  query: Type.Object({
    ourNumber: Type.Optional(Type.String({ maxLength: 11, description: 'Of one boleto: eleven digits.' })),
  }),
  answers: {
    200: {
      description: 'The boletos; amounts are cents.',
      schema: Type.Object({
        items: Type.Array(
          Type.Object({
            ourNumber: Type.String(),
            status: Type.Enum(['refused', 'issued', 'paid', 'canceled', 'expired']),
            amount: Type.Integer(),
            issuedOn: Type.String(),
            dueOn: Type.String(),
            payableUntil: Type.String(),
            barCode: TEXT_OR_NULL,
            digitableLine: TEXT_OR_NULL,
            payments: Type.Array(Type.Object({ amount: Type.Integer(), paidOn: Type.String() })),
          }),
        ),
      }),
      example: {
        items: [
          {
            ourNumber: '00000001234',
            status: 'paid',
            amount: 25_000,
            issuedOn: '2026-11-02',
            dueOn: '2026-11-10',
            payableUntil: '2026-12-10',
            barCode: '23791162600000250000001090000000123442941450',
            digitableLine: '23790001089000000012634429414500116260000025000',
            payments: [{ amount: 25_000, paidOn: '2026-11-10' }],
          },
        ],
      },
    },
    409: {
      description: 'There is no simulated bank here.',
      schema: ERRORS,
      example: [{ tag: '__general__', description: 'Não há um banco simulado aqui.' }],
    },
  },
});

const FILE_QUERY = Type.Object({
  day: Type.String({
    format: 'day',
    maxLength: 10,
    description: "A day of your merchant's time that is over, YYYY-MM-DD in São Paulo.",
  }),
  fault: Type.Optional(
    Type.Enum([...RETURN_FILE_FAULTS], {
      description: 'What is to be wrong in it, in the last payment of the day; absent: nothing is.',
    }),
  ),
});

export const READ_RETURN_FILE = contract({
  id: 'readReturnFile',
  method: 'GET',
  path: '/homologation/bank/return-file',
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  summary: "Read the bank's return file of a day",
  description:
    "The return file (CNAB 240) of a day of your merchant's boletos, written by the bank's simulator from its own ledger: registrations, payments, " +
    'cancels and what was written off. With `fault` it differs from the ledger.',
  homologationOnly: true,
  query: FILE_QUERY,
  answers: {
    200: {
      description: 'The file, to be saved under the name in Content-Disposition.',
      contentType: 'text/plain; charset=us-ascii',
    },
    409: {
      description:
        'The day is not over, the file is too large for one answer, or there is no simulated bank here.',
      schema: ERRORS,
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

export function readReturnFileQuery({ day, fault }: Static<typeof FILE_QUERY>): WantedReturnFile {
  return { day: day as Day, fault: fault ?? null };
}
