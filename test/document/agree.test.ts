import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkPayment } from '../../src/payments/contract.ts';
import type { Contract, Fault } from '../../src/platform/http/endpoint.ts';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { requestReader } from '../../src/platform/requests/request-reader.ts';
import { checkBoleto } from '../../src/transactions/methods/boleto/contract.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../src/values/cents.ts';
import { readExactJson } from '../../src/values/exact-json.ts';
import { ENDPOINTS, REFERENCE } from '../published.ts';
import { isReasonToTake, REASONS } from './reasons.ts';
import {
  bodySchemaOf,
  operationsOf,
  querySchemaOf,
  type Schema,
  type ServedDocument,
  schemaAt,
  validatorOf,
} from './served-document.ts';
import { isSpoiledOnTheWire, type Spoiled, spoiledValuesOf } from './spoiled-values.ts';
import { valuesOf } from './valid-values.ts';

const IS_LONG = process.env.PARCELA_TEST_LONG === '1';
const RUNS = IS_LONG ? 1_000 : 25;
const SEED = Number(process.env.SEED ?? 44);
const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(REFERENCE))) as ServedDocument;

const isValid = validatorOf(DOCUMENT);

const LOOSE = { takesHttp: true, takesLoopback: true, openedNetworks: [] };
/** Where the rules depend on settings: those of homologation. */
const CHECKS: Readonly<Record<string, NonNullable<Contract['check']>>> = {
  createPayment: checkPayment(
    1 as Cents,
    () => ({ largestInstallments: MOST_INSTALLMENTS, captureLater: true, threeDSecure: true }),
    LOOSE,
  ),
  issueBoleto: checkBoleto(LOOSE),
};

type Reader = (value: unknown) => readonly Fault[];

/** What the service has against a body or a query. `isBare`: by its schema, without what contracts check. */
function faultFinder({ id, ...endpoint }: Contract, isBare: boolean): Record<'body' | 'query', Reader> {
  const { body, query, check = CHECKS[id], checkQuery, ...others } = endpoint;
  const checks = isBare ? {} : { ...(check && { check }), ...(checkQuery && { checkQuery }) };
  const bodies = requestReader({ ...others, id, ...(body && { body }), ...checks });
  const queries = requestReader({ ...others, id, ...(query && { query }), ...checks });
  return {
    body(value) {
      const reading = bodies(Buffer.from(JSON.stringify(value)), {}, null, readExactJson);
      return reading.ok ? [] : reading.faults;
    },
    query(value) {
      const sent = Object.entries(value as object).map(([name, own]) => [name, String(own)]);
      const reading = queries(undefined, Object.fromEntries(sent), null, readExactJson);
      return reading.ok ? [] : reading.faults;
    },
  };
}

const shown = (value: unknown) => JSON.stringify(value).slice(0, 300);

function agreementTests(
  endpoint: Contract,
  what: 'body' | 'query',
  schema: Schema,
  isSent: (spoiled: Spoiled) => boolean,
) {
  const { id } = endpoint;
  const faultsOf = faultFinder(endpoint, false)[what];
  const faultsOfSchema = faultFinder(endpoint, true)[what];
  const valid = valuesOf(DOCUMENT, schema, isValid);
  const runs = { numRuns: RUNS, seed: SEED };
  const hasExample = ({ tag }: Fault) => schemaAt(DOCUMENT, schema, tag)?.examples !== undefined;
  const hasReason = ({ tag }: Fault) =>
    REASONS.some((reason) => reason.status === 400 && reason.of.test(id) && reason.tag.test(tag));

  test(`${id}: a ${what} that the document allows is read`, () => {
    const refused = fc.sample(valid, runs).flatMap((value) => {
      const unknown = [
        ...faultsOfSchema(value).filter((fault) => !hasExample(fault)),
        ...faultsOf(value).filter((fault) => !hasExample(fault) && !hasReason(fault)),
      ];
      return unknown.map(({ tag, sentence }) => `${tag}: ${sentence.en} ${shown(value)}`);
    });
    assert.deepEqual(refused, [], `seed ${SEED}`);
  });

  test(`${id}: a ${what} that the document forbids is refused`, () => {
    const spoiled = fc.sample(spoiledValuesOf(DOCUMENT, schema, valid, isValid).filter(isSent), runs);
    const taken = spoiled.filter((one) => faultsOf(one.value).length === 0 && !isReasonToTake(one));
    assert.deepEqual(
      taken.map(({ place, how, value }) => `${place} ${how}: ${shown(value)}`),
      [],
      `seed ${SEED}`,
    );
  });
}

for (const operation of operationsOf(DOCUMENT)) {
  const endpoint = ENDPOINTS.find(({ id }) => id === operation.operationId);
  if (endpoint === undefined) continue;
  const body = bodySchemaOf(operation);
  if (body !== null) agreementTests(endpoint, 'body', body, () => true);
  const query = querySchemaOf(operation);
  if (Object.keys(query.properties ?? {}).length > 0)
    agreementTests(endpoint, 'query', query, (spoiled) =>
      isSpoiledOnTheWire({ ...spoiled, place: `query.${spoiled.place}` }),
    );
}
