import { parseArgs } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { seedFrom } from '../hostile/attack.ts';
import { openHostileService, REQUESTS_ALONE } from '../hostile/hostile-service.ts';
import { startOwnServer } from '../hostile/own-server.ts';
import { hangUp } from '../hostile/wire.ts';
import { call } from '../kit/merchant.ts';
import { type OutsideTools, openOutsideTools } from './outside-tools.ts';
import { operationsOf, type Schema, type ServedDocument, type Validate } from './served-document.ts';
import { type Tried, tryOperation } from './try-operation.ts';

const HELP = `npm run proof -- document, or node test/document/run.ts [--cases 100] [--seed N] [--only OPERATION]

Sends a service of its own, for each operation of its /openapi.json, so many requests that the document allows and so many
that it forbids by one thing, made from nothing but the document. 1 when an answer was not what the document says, and no
reason of reasons.ts explains it.
`;

/** What they do stays: the clock of the shop, and what the acquirer answers next. */
const LAST = ['advanceTestClock', 'changeAcquirerScript'];
const ANY_SEED = Math.floor(Math.random() * 0x7fffffff);
const MOST_PRINTED = 200;

/** Compiles the document once; what makes requests uses it. */
function ownValidator({ components }: ServedDocument): Validate {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 });
  ajv.addSchema({ $id: 'document', components });
  const compiled = new Map<Schema, (value: unknown) => boolean>();
  return (schema, value) =>
    compiled.getOrInsertComputed(schema, () =>
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))),
    )(value);
}

async function otherValidator({ components }: ServedDocument, tools: OutsideTools): Promise<Validate> {
  const { Validator } = await tools.load('@cfworker/json-schema');
  const made = new Map<Schema, { validate(value: unknown): { valid: boolean } }>();
  return (schema, value) =>
    made
      .getOrInsertComputed(schema, () => new Validator({ ...schema, components }, '2020-12'))
      .validate(value).valid;
}

function print(operationId: string, { statuses, disagreements }: Tried): void {
  const counts = [...statuses].sort().map(([status, count]) => `${status} ${count}`);
  console.log(
    `${operationId.padEnd(32)} ${counts.join(', ')}${disagreements.length > 0 ? `   ${disagreements.length} DISAGREE` : ''}`,
  );
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
  const seed = seedFrom({ HOSTILE_SEED: values.seed ?? process.env.SEED }, ANY_SEED);
  console.log(`seed ${seed}`);
  const tools = await openOutsideTools();
  const stopServer = await startOwnServer();
  try {
    const service = await openHostileService(REQUESTS_ALONE);
    try {
      const document = (await call(service.gatewayUrl, '/openapi.json')).body as ServedDocument;
      const isValid = ownValidator(document);
      const isAnswer = await otherValidator(document, tools);
      const operations = operationsOf(document).filter(
        ({ operationId }) => values.only === undefined || operationId === values.only,
      );
      const inOrder = [
        ...operations.filter(({ operationId }) => !LAST.includes(operationId)),
        ...operations.filter(({ operationId }) => LAST.includes(operationId)),
      ];
      const disagreements: string[] = [];
      const reasons = new Map<string, number>();
      for (const operation of inOrder) {
        await service.renewTokens();
        const tried = await tryOperation(operation, {
          url: service.gatewayUrl,
          document,
          isValid,
          isAnswer,
          shop: service.alice,
          seed,
          cases: Number(values.cases),
        });
        print(operation.operationId, tried);
        disagreements.push(...tried.disagreements);
        if (![...tried.statuses.keys()].some((status) => status < 300))
          disagreements.push(`${operation.operationId} never succeeded`);
        for (const [why, count] of tried.reasons) reasons.set(why, (reasons.get(why) ?? 0) + count);
      }
      console.log(
        `refused for a reason:\n${[...reasons].map(([why, count]) => `${String(count).padStart(8)}  ${why}`).join('\n')}`,
      );
      console.log(`${disagreements.length} disagreements`);
      for (const text of disagreements.slice(0, MOST_PRINTED)) console.log(`- ${text}`);
      return disagreements.length > 0 ? 1 : 0;
    } finally {
      hangUp();
      await service.close();
    }
  } finally {
    await stopServer();
  }
}

process.exitCode = await main();
