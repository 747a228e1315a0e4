import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import { mayTake } from '../work/fair-share.ts';
import { divideCapacity } from './places.ts';

export const LARGEST_BODY_BYTES = 64 * 1024;

/** A thousand bodies of the largest size. */
export const MOST_BODY_BYTES = 64 * 1024 * 1024;

/**
 * `full`: all memory of the part for known or for unknown callers is taken. `share`: this caller has its
 * share.
 */
export const BODY_REFUSALS = ['full', 'share'] as const;
export type BodyRefusal = (typeof BODY_REFUSALS)[number];

export type BodyObserver = {
  held(bytes: number): void;
  refused(reason: BodyRefusal): void;
};

/** `name`: the id of a merchant, or the address of an unknown caller. */
export type BodyOwner = { readonly isKnown: boolean; readonly name: string };

export type BodyHold = {
  /** False when this caller gets no more. */
  add(bytes: number): boolean;
  release(): void;
};

class Part {
  readonly #bytes: number;
  readonly #byName = new Map<string, number>();
  held = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  whyNot(name: string, bytes: number): BodyRefusal | null {
    if (this.held + bytes > this.#bytes) return 'full';
    const ofMerchant = (this.#byName.get(name) ?? 0) + bytes - 1;
    return mayTake(this.#bytes, { inAll: this.held, ofMerchant }) ? null : 'share';
  }

  count(name: string, change: number): void {
    this.held += change;
    const held = (this.#byName.get(name) ?? 0) + change;
    if (held === 0) this.#byName.delete(name);
    else this.#byName.set(name, held);
  }
}

/**
 * The memory of request bodies, from the first byte until the answer. Unknown callers have a part of their
 * own. In each part one caller may hold at most as many bytes as are left free for others.
 */
export class BodyMemory {
  readonly #known: Part;
  readonly #unknown: Part;
  readonly #observer: BodyObserver;

  constructor(bytes: number, observer: BodyObserver) {
    const parts = divideCapacity(bytes);
    this.#known = new Part(parts.known);
    this.#unknown = new Part(parts.unknown);
    this.#observer = observer;
  }

  open({ isKnown, name }: BodyOwner): BodyHold {
    const part = isKnown ? this.#known : this.#unknown;
    let held = 0;
    let isOver = false;
    const count = (change: number) => {
      held += change;
      part.count(name, change);
      this.#observer.held(this.#known.held + this.#unknown.held);
    };
    return {
      add: (bytes) => {
        if (isOver) return false;
        const reason = part.whyNot(name, bytes);
        if (reason === null) count(bytes);
        else this.#observer.refused(reason);
        return reason === null;
      },
      release() {
        isOver = true;
        count(-held);
      },
    };
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory of this request's body, held until its answer; null: no body was read. */
    bodyHold: BodyHold | null;
  }
}

/** Gives the bytes of a body to the reader of requests. Without a body the content type does not matter. */
export function readBodiesAsBytes(app: FastifyInstance, memory: BodyMemory): void {
  app.decorateRequest('bodyHold', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(\s*;|\s*$)/i,
    async (request: FastifyRequest, payload: Readable) => {
      const hold = memory.open(ownerOf(request));
      request.bodyHold = hold;
      const body = await readBody(payload, Number(request.headers['content-length'] ?? 0), hold);
      if (body.length > 0 && !isPlainUtf8(request)) throw new WrongContentType();
      return body;
    },
  );
  app.addContentTypeParser('*', (request, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return done(null, undefined);
    payload.resume();
    done(new WrongContentType());
  });
}

export class WrongContentType extends Error {}
export class BodyTooLarge extends Error {}
export class BodyMemoryTaken extends Error {}

export function ownerOf({ caller, ip }: FastifyRequest) {
  if (caller !== null) return { isKnown: true, name: caller.merchantId };
  return { isKnown: false, name: addressGroup(parseAddress(ip)) };
}

/** A refused body is discarded as it arrives. */
export function readBody(payload: Readable, declared: number, hold: BodyHold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const refuse = (error: Error) => {
      payload.off('data', take);
      chunks.length = 0;
      payload.resume();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > LARGEST_BODY_BYTES) return refuse(new BodyTooLarge());
      if (!hold.add(chunk.length)) return refuse(new BodyMemoryTaken());
      chunks.push(chunk);
    };
    if (declared > LARGEST_BODY_BYTES) return refuse(new BodyTooLarge());
    payload.on('data', take);
    payload.once('end', () => resolve(Buffer.concat(chunks)));
    payload.once('error', reject);
  });
}

function isPlainUtf8(request: FastifyRequest): boolean {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return false;
  // Each charset parameter must name UTF-8: bodies are read as nothing else.
  const charsets = (request.headers['content-type'] ?? '').matchAll(/;\s*charset\s*=([^;]*)/gi);
  return charsets.every(([, charset = '']) => /^\s*(utf-?8|"utf-?8")\s*$/i.test(charset));
}
