import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { send } from '../http/answers.ts';
import { type BodyMemory, ownerOf, readBody, WrongContentType } from '../http/body-memory.ts';

import { Connection } from '../http/connection.ts';
import type { Answer } from '../http/endpoint.ts';
import type { Failure } from '../http/failures.ts';
import type { Language } from '../http/sentence.ts';

export type PageRequest = {
  readonly method: 'GET' | 'POST';
  readonly isHead: boolean;
  /** Below the prefix: `/` or `/payments`. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** As sent, with its question mark; empty: none. */
  readonly search: string;
  readonly form: string;
  readonly headers: IncomingHttpHeaders;
  /** Scheme and host of the request; null: unknown. */
  readonly origin: string | null;
  readonly address: string;
  readonly language: Language;
  readonly requestId: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
};

/** `route`: the path pattern, for metrics and the log. */
export type PageAnswer = Answer & {
  readonly route: string;
  readonly merchantId?: string;
  readonly userName?: string;
  /** Each gets a `Set-Cookie` header of its own. */
  readonly cookies?: readonly string[];
};

export type Pages = {
  readonly prefix: string;
  /** The content types of bodies that are taken. Default: forms only. */
  readonly bodyTypes?: readonly string[];
  /** The icon's path: browsers ask for /favicon.ico where a page names none. Default: pages name none. */
  readonly icon?: string;
  readonly answer: (request: PageRequest) => Promise<PageAnswer>;
  /** Shown when the server itself cannot answer. */
  readonly failed: (failure: Failure, language: Language) => Answer;
};

declare module 'fastify' {
  interface FastifyRequest {
    pageOf: Pick<PageAnswer, 'route' | 'merchantId' | 'userName'> | null;
  }
  interface FastifyContextConfig {
    isPage?: boolean;
    /** Counted as a stranger's even if cookies come with it. */
    isForStrangers?: boolean;
  }
}

type OriginOf = (request: FastifyRequest) => string | null;

const FAVICON = '/favicon.ico';
const METHODS = ['GET', 'HEAD', 'POST'] as const;

/** `failureOf` gives the failure that an error means, and logs unexpected ones. */
export function addPages(
  app: FastifyInstance,
  pages: Pages,
  failureOf: (error: unknown, request: FastifyRequest) => Failure,
  { bodies, originOf }: { readonly bodies: BodyMemory; readonly originOf: OriginOf },
): void {
  const { prefix, icon } = pages;
  app.register(async (below) => {
    takeBodies(below, bodies, pages.bodyTypes ?? FORMS);
    below.setErrorHandler((error, request, reply) =>
      send(request, reply, pages.failed(failureOf(error, request), request.language)),
    );
    if (icon !== undefined) addIcon(below, icon);
    for (const url of [prefix, `${prefix}/*`]) {
      below.route({
        method: [...METHODS],
        url,
        config: { isPage: true },
        handler: async (request, reply): Promise<FastifyReply> => {
          const answer = await pages.answer(pageRequest(request, prefix, originOf(request)));
          request.pageOf = answer;
          if (answer.userName !== undefined) Connection.of(request.raw.socket)?.acceptCaller(request.raw);
          if (answer.cookies !== undefined) reply.header('set-cookie', answer.cookies);
          return send(request, reply, answer);
        },
      });
    }
  });
}

function addIcon(app: FastifyInstance, icon: string): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: FAVICON,
    config: { isPage: true, isForStrangers: true },
    handler: (request, reply) => {
      request.pageOf = { route: FAVICON };
      return send(request, reply, { status: 302, headers: { location: icon } });
    },
  });
}

/** Forms without files. */
const FORMS = ['application/x-www-form-urlencoded'];

function takeBodies(app: FastifyInstance, bodies: BodyMemory, types: readonly string[]): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...types], async (request: FastifyRequest, payload: Readable) => {
    const hold = bodies.open(ownerOf(request));
    request.bodyHold = hold;
    const length = Number(request.headers['content-length'] ?? 0);
    return (await readBody(payload, length, hold)).toString('utf8');
  });
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(new WrongContentType());
  });
}

function pageRequest(request: FastifyRequest, prefix: string, origin: string | null): PageRequest {
  const [path = ''] = request.url.split('?', 1);
  return {
    method: request.method === 'POST' ? 'POST' : 'GET',
    isHead: request.method === 'HEAD',
    path: path.slice(prefix.length) || '/',
    query: request.query as Readonly<Record<string, unknown>>,
    search: request.url.slice(path.length),
    form: typeof request.body === 'string' ? request.body : '',
    headers: request.headers,
    origin,
    address: request.ip,
    language: request.language,
    requestId: request.id,
    startedAt: request.startedAt,
  };
}
