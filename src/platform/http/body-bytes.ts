import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Bodies stay bytes for our own reader. The content type matters only when there is a body. */
export function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/json(\s*;|\s*$)/i, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length > 0 && !isPlainUtf8(request)) return done(new WrongContentType());
    done(null, body);
  });
  app.addContentTypeParser('*', (request, payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    if (encoding === undefined && (length === undefined || length === '0')) return done(null, undefined);
    payload.resume();
    done(new WrongContentType());
  });
}

export class WrongContentType extends Error {}

function isPlainUtf8(request: FastifyRequest): boolean {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return false;
  // Every charset that is named, however it is written, must be the one that is read.
  const charsets = (request.headers['content-type'] ?? '').matchAll(/;\s*charset\s*=([^;]*)/gi);
  return charsets.every(([, charset = '']) => /^\s*(utf-?8|"utf-?8")\s*$/i.test(charset));
}
