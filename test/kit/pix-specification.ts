import { Ajv2019, type ErrorObject, type ValidateFunction } from 'ajv/dist/2019.js';
import specification from './pix-specification.json' with { type: 'json' };

// biome-ignore lint/suspicious/noExplicitAny: schemas of every shape, and what is mended in them.
type Schema = any;

type Operation = {
  readonly scope: string | null;
  readonly request?: object;
  readonly responses: Readonly<Record<string, object | null>>;
};

const OPERATIONS = specification.operations as Readonly<Record<string, Operation>>;
const BASE = 'pix';

/**
 * Where the specification contradicts itself or its own examples, so that nothing could be valid. Everything
 * else holds as it stands.
 */
const MENDS: readonly { readonly why: string; readonly mend: (schemas: Schema) => void }[] = [
  {
    why: 'lists of charges demand a field that no charge has',
    mend({ CobsConsultadas, CobsVConsultadas }) {
      for (const list of [CobsConsultadas, CobsVConsultadas])
        list.properties.cobs.items.allOf[1].required = ['status', 'txid'];
    },
  },
  {
    why: 'the list of Pix demands the list of charges',
    mend: ({ PixConsultados }) => {
      PixConsultados.required = ['parametros', 'pix'];
    },
  },
  {
    why: 'fields of the receiver and of the payer are demanded one level too high',
    mend({ DadosRecebedor, DadosPagadorRec }) {
      delete DadosRecebedor.required;
      delete DadosPagadorRec.required;
    },
  },
  {
    why: 'a recurrence demands its id also where it is asked for, and a field that there is not',
    mend: ({ RecBase }) => {
      RecBase.required = ['calendario', 'vinculo'];
    },
  },
  {
    why: 'a notification demands a field with a quotation mark, and a request for confirmation one that is not',
    mend({ RecNotification, SolicRecCompleta, SolicRecBase }) {
      RecNotification.required = ['idRec', 'status', 'atualizacao'];
      delete SolicRecCompleta.required;
      SolicRecBase.required = ['calendario', 'idRec', 'destinatario'];
    },
  },
  {
    why: 'alternatives that exclude each other do not say what tells them apart',
    mend({ RecEncerramento, CobRAtualizacao, CobVValor, CobValor }) {
      const ends = [RecEncerramento.properties.encerramento, CobRAtualizacao.properties.encerramento];
      const { desconto } = CobVValor.properties;
      for (const { oneOf } of [...ends, CobValor.properties.retirada, desconto])
        for (const branch of oneOf) branch.required ??= Object.keys(branch.properties);
    },
  },
  {
    why: 'two alternatives are the same',
    mend: ({ RecRevisada }) => {
      RecRevisada.allOf[1].properties.vinculo.properties.devedor.oneOf.pop();
    },
  },
  {
    why: 'an amount is a text, and was an object as well',
    mend: ({ PixAutomatico }) => {
      delete PixAutomatico.properties.valor.anyOf;
    },
  },
  {
    why: 'some fields are in demands or examples alone',
    mend({ WebhookCompleto, CobVGerada, PayloadLocationRecGerada, RecGerada }) {
      PayloadLocationRecGerada.properties.tipo = { enum: ['rec'] };
      RecGerada.allOf.push({ $ref: '#/schemas/RecConfiguracao' });
      WebhookCompleto.properties.chave = { type: 'string', maxLength: 77 };
      CobVGerada.properties = { location: { type: 'string', maxLength: 77 } };
    },
  },
  {
    why: 'a location that is asked for by its id needs no kind',
    mend: ({ PayloadLocationCob }) => {
      PayloadLocationCob.required = ['id'];
    },
  },
];

const schemas = JSON.parse(
  JSON.stringify(specification.schemas).replaceAll('"/^', '"^').replaceAll('$/"', '$"'),
);
for (const { mend } of MENDS) mend(schemas);

const ajv = new Ajv2019({ strict: false, allErrors: true });
for (const format of ['int32', 'int64'])
  ajv.addFormat(format, { type: 'number', validate: Number.isSafeInteger });
ajv.addFormat('date', (text) => !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) && text.length === 10);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
ajv.addFormat('uri', /^[^\s]+$/);
ajv.addSchema({ $id: BASE, schemas });

const known = new Map<string, ValidateFunction>();

/** Why an answer of an operation (`PUT /cob/{txid}`) is none of the specification; null: it is one. */
export function answerFault(operation: string, status: number, body: unknown): string | null {
  const responses = OPERATIONS[operation]?.responses;
  if (responses === undefined) return `there is no operation ${operation}`;
  // Errors have one shape everywhere; operations name only some of them.
  const isError = status === 400 || status === 404;
  const schema = status in responses ? responses[status] : isError ? responses['403'] : undefined;
  if (schema === undefined) return `${operation} does not answer ${status}`;
  if (schema === null) return body === null ? null : `${operation} answers ${status} with a body`;
  return faultBy(`${operation} ${status}`, schema, body);
}

/** Why a body that is sent to an operation is none of the specification; null: it is one. */
export function requestFault(operation: string, body: unknown): string | null {
  const schema = OPERATIONS[operation]?.request;
  if (schema === undefined) return `${operation} takes no body`;
  return faultBy(`${operation} request`, schema, body);
}

/** The same of what a bank tells by a webhook. */
export function webhookFault(name: 'WebhookPixBody' | 'WebhookRecBody' | 'WebhookCobRBody', body: unknown) {
  return faultBy(name, { $ref: `#/schemas/${name}` }, body);
}

export function scopeOf(operation: string): string | null {
  return OPERATIONS[operation]?.scope ?? null;
}

export const SPECIFIED_OPERATIONS: readonly string[] = Object.keys(OPERATIONS);

/** Fields that no schema has are faults at the top: a name that is misspelled would be one. */
function faultBy(name: string, schema: object, body: unknown): string | null {
  const validate = known.get(name) ?? ajv.compile({ ...absolute(schema), unevaluatedProperties: false });
  known.set(name, validate);
  return validate(body) ? null : (validate.errors ?? []).map(sentence).join('\n');
}

function sentence({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`;
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', `"${BASE}#/schemas/`));
}
