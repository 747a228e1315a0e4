type Json = Record<string, unknown>;
type Media = { example?: unknown; examples?: Json };
type Answer = { readonly content?: Readonly<Record<string, Media>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: Json[];
  readonly requestBody?: Answer;
  readonly responses: Record<string, Answer | Json>;
};
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export type Document = {
  readonly paths: Operations;
  readonly webhooks?: Operations;
  readonly components: Record<string, Json>;
};

/** A part: where it stands, its possible names, and how a reference replaces it. */
type Use = {
  readonly names: readonly string[];
  readonly part: unknown;
  readonly refer: (reference: Json) => void;
};

/**
 * Moves parameters, answers and examples that are alike in several places to `components`. A moved part keeps
 * its own name, or gets that of the first operation that has it.
 */
export function shareParts(document: Document): void {
  const operations = [document.paths, document.webhooks ?? {}].flatMap((all) =>
    Object.values(all).flatMap((methods) => Object.values(methods)),
  );
  share(document, 'parameters', operations.flatMap(parameterUses));
  share(document, 'responses', operations.flatMap(answerUses));
  const answers = Object.entries(document.components.responses ?? {}) as [string, Answer][];
  share(document, 'examples', [
    ...operations.flatMap(({ operationId, requestBody = {}, responses }) => [
      ...exampleUses(`${operationId}Request`, requestBody),
      ...Object.entries(responses).flatMap(([status, answer]) =>
        exampleUses(operationId + status, answer as Answer),
      ),
    ]),
    ...answers.flatMap(([name, answer]) => exampleUses(name, answer)),
  ]);
}

function share({ components }: Document, kind: string, uses: readonly Use[]): void {
  const shared = { ...components[kind] };
  const isFree = (name: string) => !Object.hasOwn(shared, name);
  for (const [printed, alike] of Map.groupBy(uses, ({ part }) => JSON.stringify(part))) {
    const name = alike[0]?.names.find(isFree);
    if (name === undefined || !isShorter(printed, kind + name, alike.length)) continue;
    shared[name] = kind === 'examples' ? { value: alike[0]?.part } : alike[0]?.part;
    for (const { refer } of alike) refer({ $ref: `#/components/${kind}/${name}` });
  }
  if (Object.keys(shared).length > 0) components[kind] = shared;
}

/** The characters of a reference around its name. */
const AROUND = '{"$ref":"#/components//"}'.length;

const isShorter = (printed: string, words: string, places: number) =>
  printed.length + (AROUND + words.length) * (places + 1) < printed.length * places;

function parameterUses({ operationId, parameters = [] }: Operation): Use[] {
  return parameters.flatMap((part, at) => {
    const { name } = part as { readonly name?: string };
    const refer = (reference: Json) => parameters.splice(at, 1, reference);
    return name === undefined ? [] : [{ names: [name, `${operationId}.${name}`], part, refer }];
  });
}

function answerUses({ operationId, responses }: Operation): Use[] {
  return Object.entries(responses).flatMap(([status, part]) => {
    const refer = (reference: Json) => Object.assign(responses, { [status]: reference });
    // Generators of clients do not follow a reference of a success to the type of its body.
    return '$ref' in part || status.startsWith('2') ? [] : [{ names: [operationId + status], part, refer }];
  });
}

function exampleUses(name: string, { content = {} }: Answer): Use[] {
  return Object.entries(content).flatMap(([type, media]) => {
    const refer = (reference: Json) => {
      delete media.example;
      media.examples = { [EXAMPLE]: reference };
    };
    const names = [name, `${name}.${type.replace('/', '.')}`];
    return media.example === undefined ? [] : [{ names, part: media.example, refer }];
  });
}

const EXAMPLE = 'example';
