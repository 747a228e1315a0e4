import type { TObject } from 'typebox';
import { type Printing, printSchema } from './json-schema.ts';

type Json = Record<string, unknown>;

export const MESSAGE_HEADERS = {
  'webhook-id': 'Names the message; the same in every try of it, so that a repetition is known by it.',
  'webhook-timestamp':
    'When this try was sent, in seconds since 1970: refuse what is more than five minutes off.',
  'webhook-signature':
    'One or more of `v1,` and the base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, by blanks; the key is the ' +
    'secret of the account behind `whsec_`, read as base64. Any that fits is enough. Absent until a secret was made.',
  traceparent: 'The trace of this try (W3C Trace Context), where your operator sends it.',
  Authorization: 'The `basicAuth` of the registration, where it has one; never on callbacks and notices.',
} as const;

const ANSWERS = {
  200: 'Taken: this or any 2xx. No body is read.',
  400: 'An expected error. It counts against this message only, which is sent again like any other.',
  500: 'An unexpected error of your system, like a timeout (15 seconds): sent again, for up to 76 hours in 12 tries.',
} as const;

/** The webhooks of OpenAPI 3.1: payload, headers, and what an answer means. */
export function printMessages(messages: readonly MessageContract[], printing: Printing): Json {
  return Object.fromEntries(
    messages.map((message) => [message.id, { post: printMessage(message, printing) }]),
  );
}

export const parameterNamed = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

export function printMessageHeaders({ say }: Pick<Printing, 'say'>): Json {
  return Object.fromEntries(
    Object.entries(MESSAGE_HEADERS).map(([name, meaning]) => [
      name,
      {
        name,
        in: 'header',
        // OpenAPI puts Authorization into the security of an operation, and readers drop it as a parameter.
        required: name === 'webhook-id' || name === 'webhook-timestamp',
        description: say(meaning),
        schema: { type: 'string' },
      },
    ]),
  );
}

function printMessage(
  { id, group, summary, description, body, example }: MessageContract,
  printing: Printing,
): Json {
  const { say } = printing;
  return {
    operationId: id,
    tags: [say(group)],
    summary: say(summary),
    description: say(description),
    security: [],
    parameters: Object.keys(MESSAGE_HEADERS).map(parameterNamed),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: printSchema(body, printing, [id]), example } },
    },
    responses: Object.fromEntries(
      Object.entries(ANSWERS).map(([status, meaning]) => [status, { description: say(meaning) }]),
    ),
  };
}

export type MessageContract = {
  /** Unique among messages and operations, in camelCase. */
  readonly id: string;
  readonly group: string;
  readonly summary: string;
  readonly description: string;
  readonly body: TObject;
  readonly example: unknown;
};
