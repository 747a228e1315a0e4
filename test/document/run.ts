import { parseArgs } from 'node:util';
import { seedFrom } from '../hostile/attack.ts';
import { type HostileService, openHostileService, REQUESTS_ALONE } from '../hostile/hostile-service.ts';
import { startOwnServer } from '../hostile/own-server.ts';
import { hangUp } from '../hostile/wire.ts';
import { call } from '../kit/merchant.ts';
import { clientComplaints } from './generated-clients.ts';
import { lintComplaints } from './lint.ts';
import { type OutsideTools, openOutsideTools } from './outside-tools.ts';
import {
  operationsOf,
  type Schema,
  type ServedDocument,
  type Validate,
  validatorOf,
} from './served-document.ts';
import { foreignComplaints } from './try-foreign.ts';
import { type Tried, tryOperation } from './try-operation.ts';

const HELP = `npm run proof -- document, or node test/document/run.ts [--cases 100] [--seed N] [--only OPERATION]

Sends a service of its own, for each operation of its /openapi.json, so many requests that the document allows and so many
that it forbids by one thing, made from nothing but the document; what one merchant has is asked for by another. Two linters
read it, and clients that three generators make of it are compiled and make ten calls. 1 when an answer was not what the
document says and no reason of reasons.ts explains it, or a tool complains.
`;

/** What they do stays: the clock of the shop, and what the acquirer answers next. */
const LAST = ['advanceTestClock', 'changeAcquirerScript'];
/** Another one in each run: it is printed. */
const ANY_SEED = Math.floor(Math.random() * 0x7fffffff);
const MOST_PRINTED = 200;

type Options = { readonly cases: number; readonly seed: number; readonly only: string | undefined };

/** Of answers. It takes an `id` in an example for the name of a schema, so it gets schemas alone. */
async function otherValidator(
  { components: { schemas } }: ServedDocument,
  tools: OutsideTools,
): Promise<Validate> {
  const { Validator } = await tools.load('@cfworker/json-schema');
  const made = new Map<Schema, { validate(value: unknown): { valid: boolean } }>();
  return (schema, value) =>
    made
      .getOrInsertComputed(schema, () => new Validator({ ...schema, components: { schemas } }, '2020-12'))
      .validate(value).valid;
}

function print(operationId: string, { statuses, disagreements }: Tried): void {
  const counts = [...statuses].sort(([one], [other]) => one - other);
  const shown = counts.map(([status, count]) => `${status} ${count}`).join(', ');
  const complaint = disagreements.length === 0 ? '' : `   ${disagreements.length} DISAGREE`;
  console.log(`${operationId.padEnd(32)} ${shown}${complaint}`);
}

async function tryAll(service: HostileService, tools: OutsideTools, options: Options): Promise<string[]> {
  const { cases, seed, only } = options;
  const document = (await call(service.gatewayUrl, '/openapi.json')).body as ServedDocument;
  const isValid = validatorOf(document);
  const isAnswer = await otherValidator(document, tools);
  const complaints = [
    ...(await lintComplaints(document, tools)),
    ...(await clientComplaints(document, service.alice, tools)),
  ];
  const reasons = new Map<string, number>();
  const operations = operationsOf(document).filter(
    ({ operationId }) => only === undefined || operationId === only,
  );
  const isLast = ({ operationId }: { readonly operationId: string }) => Number(LAST.includes(operationId));
  for (const operation of operations.toSorted((one, other) => isLast(one) - isLast(other))) {
    await service.renewTokens();
    const { operationId } = operation;
    const trial = { url: service.gatewayUrl, document, isValid, isAnswer, shop: service.alice, seed, cases };
    complaints.push(...(await foreignComplaints(operation, service)));
    const tried = await tryOperation(operation, trial);
    print(operationId, tried);
    complaints.push(...tried.disagreements);
    if (![...tried.statuses.keys()].some((status) => status < 300))
      complaints.push(`${operationId} never succeeded`);
    for (const [why, count] of tried.reasons) reasons.set(why, (reasons.get(why) ?? 0) + count);
  }
  const shown = [...reasons].map(([why, count]) => `${String(count).padStart(8)}  ${why}`);
  console.log(`refused for a reason:\n${shown.join('\n')}`);
  return complaints;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100' },
      seed: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const seed = seedFrom({ HOSTILE_SEED: values.seed }, ANY_SEED);
  console.log(`seed ${seed}`);
  const tools = await openOutsideTools();
  const stopServer = await startOwnServer();
  try {
    const service = await openHostileService(REQUESTS_ALONE);
    try {
      const options = { cases: Number(values.cases), seed, only: values.only };
      const complaints = await tryAll(service, tools, options);
      console.log(`${complaints.length} complaints`);
      for (const text of complaints.slice(0, MOST_PRINTED)) console.log(`- ${text}`);
      return complaints.length > 0 ? 1 : 0;
    } finally {
      hangUp();
      await service.close();
    }
  } finally {
    await stopServer();
  }
}

process.exitCode = await main();
