/**
 * A profile as V8 gives it: a tree of call frames, and which of them each sample met. Times in
 * microseconds.
 */
export type CpuProfile = {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

type ProfileNode = {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
};

export const IDLE = 'idle';
const ELSEWHERE = 'Node: sockets, timers, turns of the event loop';

/**
 * To which part of the work a frame belongs, by its file. The first that fits counts; a frame that none
 * fits (a Buffer, a stream, a built-in) belongs to whoever called it.
 */
const PARTS: readonly (readonly [part: string, file: RegExp])[] = [
  ['card and key cryptography', /node:(internal\/)?crypto|\/src\/keys\/|\/src\/cards\/pairs\//],
  [
    'JSON and validation',
    /\/src\/values\/exact-json|\/http\/(request-reader|body-shape|schema-faults)|node_modules\/(ajv|typebox)|\/contract\.ts/,
  ],
  ['batched reads and writes', /\/postgres\/batched-|\.sql\.ts/],
  ['PostgreSQL driver', /node_modules\/pg|\/src\/platform\/postgres\//],
  ['calls to acquirer and merchants', /node_modules\/undici|\/src\/(acquirers|webhooks\/posting)\//],
  ['deliveries', /\/src\/(webhooks|webhook-rooms)/],
  ['log', /node_modules\/(pino|sonic-boom|thread-stream|quick-format|safe-stable)|\/platform\/log/],
  ['metrics', /node_modules\/(prom-client|tdigest|bintrees)|\/platform\/metrics/],
  [
    'HTTP: parsing, routing, answering',
    /node:_http|node:internal\/http|node_modules\/(fastify|find-my-way|avvio|@fastify)|\/platform\/http\//,
  ],
  [
    'caller and rules of a payment',
    /\/src\/(payments|transactions|cards|antifraud|idempotency|merchants|values|rooms)/,
  ],
];

const NATIVE = new Map([
  ['(idle)', IDLE],
  ['(garbage collector)', 'garbage collection'],
  // What V8 cannot name: system calls that read and write sockets, the event loop itself.
  ['(program)', 'native: system calls of sockets, event loop'],
  ['(root)', ELSEWHERE],
]);

/** Microseconds on the main thread by part of the work. */
export function timeByPart(profile: CpuProfile): Map<string, number> {
  const partOf = partsOfNodes(profile.nodes);
  const times = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const part = partOf.get(sample) ?? ELSEWHERE;
    times.set(part, (times.get(part) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return times;
}

/** Microseconds of the functions themselves, without what they called. */
export function timeByFunction(profile: CpuProfile): Map<string, number> {
  const nameOf = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url } }) => [
      id,
      `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|src)\//, '$1/')}`.trim(),
    ]),
  );
  const times = new Map<string, number>();
  for (const [index, sample] of profile.samples.entries()) {
    const name = nameOf.get(sample) ?? '';
    times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return times;
}

function partsOfNodes(nodes: readonly ProfileNode[]): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const visit = (node: ProfileNode, inherited: string) => {
    const own = ownPart(node) ?? inherited;
    parts.set(node.id, own);
    for (const child of node.children ?? []) visit(byId.get(child) as ProfileNode, own);
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, ELSEWHERE);
  return parts;
}

function ownPart({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  return NATIVE.get(functionName) ?? PARTS.find(([, file]) => file.test(url))?.[0];
}
