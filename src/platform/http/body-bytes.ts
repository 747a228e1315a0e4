import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addressGroup, parseAddress } from '../../values/ip-address.ts';
import { LARGEST_BODY_BYTES } from './answers.ts';
import type { BodyHold, BodyMemory } from './body-memory.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What its body holds of the memory for bodies, until it is answered. */
    bodyHold: BodyHold | null;
  }
}

/** Bodies stay bytes for our own reader. The content type matters only when there is a body. */
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
/** There is no memory for the body, or none for this caller. */
export class BodyMemoryTaken extends Error {}

export function ownerOf({ caller, ip }: FastifyRequest) {
  if (caller !== null) return { isKnown: true, name: caller.merchantId };
  return { isKnown: false, name: addressGroup(parseAddress(ip)) };
}

/** Reads a whole body. A refused one is not kept, and its rest is discarded as it arrives. */
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
  // Every charset that is named, however it is written, must be the one that is read.
  const charsets = (request.headers['content-type'] ?? '').matchAll(/;\s*charset\s*=([^;]*)/gi);
  return charsets.every(([, charset = '']) => /^\s*(utf-?8|"utf-?8")\s*$/i.test(charset));
}
