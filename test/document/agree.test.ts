import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { checkPayment } from '../../src/payments/contract.ts';
import type { Contract } from '../../src/platform/http/endpoint.ts';
import { openApiDocument } from '../../src/platform/reference/openapi.ts';
import { requestReader } from '../../src/platform/requests/request-reader.ts';
import { checkBoleto } from '../../src/transactions/methods/boleto/contract.ts';
import { type Cents, MOST_INSTALLMENTS } from '../../src/values/cents.ts';
import { readExactJson } from '../../src/values/exact-json.ts';
import { ENDPOINTS, REFERENCE } from '../published.ts';
import { isReasonToTake, REASONS } from './reasons.ts';
import { bodySchemaOf, operationsOf, type Schema, type ServedDocument, schemaAt } from './served-document.ts';
import { spoiledValuesOf } from './spoiled-values.ts';
import { valuesOf } from './valid-values.ts';

const IS_LONG = process.env.PARCELA_TEST_LONG === '1';
const RUNS = IS_LONG ? 1_000 : 25;
const SEED = Number(process.env.SEED ?? 44);
const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(REFERENCE))) as ServedDocument;

const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 9 });
ajv.addSchema({ $id: 'document', components: DOCUMENT.components });
const compiled = new Map<Schema, (value: unknown) => boolean>();
const isValid = (schema: Schema, value: unknown) =>
  compiled.getOrInsertComputed(schema, () =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'))),
  )(value);

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

function faultFinder({ query: _, ...endpoint }: Contract) {
  const { check = CHECKS[endpoint.id] } = endpoint;
  const read = requestReader({ ...endpoint, ...(check && { check }) });
  return (value: unknown) => {
    const reading = read(Buffer.from(JSON.stringify(value)), {}, null, readExactJson);
    return reading.ok ? [] : reading.faults;
  };
}

const shown = (value: unknown) => JSON.stringify(value).slice(0, 300);

for (const operation of operationsOf(DOCUMENT)) {
  const { operationId } = operation;
  const schema = bodySchemaOf(operation);
  const endpoint = ENDPOINTS.find(({ id }) => id === operationId);
  if (schema === null || endpoint === undefined) continue;
  const faultsOf = faultFinder(endpoint);
  const valid = valuesOf(DOCUMENT, schema, isValid);
  const runs = { numRuns: RUNS, seed: SEED };

  const isKnown = (tag: string) =>
    schemaAt(DOCUMENT, schema, tag)?.examples !== undefined ||
    REASONS.some((reason) => reason.status === 400 && reason.of.test(operationId) && reason.tag.test(tag));

  test(`${operationId}: a body that the document allows is read`, () => {
    const refused = fc.sample(valid, runs).flatMap((value) => {
      const unknown = faultsOf(value).filter(({ tag }) => !isKnown(tag));
      return unknown.map(({ tag, sentence }) => `${tag}: ${sentence.en} ${shown(value)}`);
    });
    assert.deepEqual(refused, [], `seed ${SEED}`);
  });

  test(`${operationId}: a body that the document forbids is refused`, () => {
    const spoiled = fc.sample(spoiledValuesOf(DOCUMENT, schema, valid, isValid), runs);
    const taken = spoiled.filter((one) => faultsOf(one.value).length === 0 && !isReasonToTake(one));
    assert.deepEqual(
      taken.map(({ place, how, value }) => `${place} ${how}: ${shown(value)}`),
      [],
      `seed ${SEED}`,
    );
  });
}
