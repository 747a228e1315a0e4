import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import { CommitUnknown, DatabaseUnavailable } from '../postgres/database-errors.ts';
import { answerMalformedHttp, BrokenOff, send, serveOrCut } from './answers.ts';
import { type Answer, type Call, CUT_CONNECTION, type ServedEndpoint } from './endpoint.ts';

const PAST = { deadlineAt: performance.now() - 1_000 } as Call<unknown, unknown, unknown>;

test('a stream that comes behind its deadline is closed, so that its place is free', async () => {
  const answering = Promise.withResolvers<Answer>();
  const served = { contract: { method: 'GET' }, serve: () => answering.promise } as unknown as ServedEndpoint;
  assert.equal(await serveOrCut({} as Log, served, PAST), CUT_CONNECTION);
  const closed = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  async function* pieces() {}
  answering.resolve({
    status: 200,
    stream: { type: 'text/csv', pieces: pieces(), signal, close: closed.resolve },
  });
  await closed.promise;
});

test('over a connection without a byte nothing is answered, and what is slow is not malformed', () => {
  const said = (code: string, bytesRead: number) => {
    let text: string | null = null;
    const socket = {
      ...{ writable: true, bytesRead, destroy: () => {} },
      end: (answer: string) => {
        text = answer.split('\r\n')[0] ?? '';
      },
    } as unknown as Socket;
    answerMalformedHttp(Object.assign(new Error('parser'), { code }), socket);
    return text;
  };
  assert.equal(said('ERR_HTTP_REQUEST_TIMEOUT', 0), null);
  assert.equal(said('HPE_INVALID_EOF_STATE', 0), null);
  assert.equal(said('ERR_HTTP_REQUEST_TIMEOUT', 5), 'HTTP/1.1 408 Request Timeout');
  assert.equal(said('HPE_INVALID_METHOD', 5), 'HTTP/1.1 400 Bad Request');
});

test('where something may have been written no error is told: the connection is cut', async () => {
  const call = { deadlineAt: performance.now() + 60_000, requestId: 'r' } as Call<unknown, unknown, unknown>;
  const log = { error: () => {} } as unknown as Log;
  const served = (method: string, error: Error) =>
    ({ contract: { method }, serve: () => Promise.reject(error) }) as unknown as ServedEndpoint;
  const lost = new CommitUnknown('the commit was not answered');
  assert.equal(await serveOrCut(log, served('POST', lost), call), CUT_CONNECTION);
  const away = new DatabaseUnavailable('it was not reached');
  await assert.rejects(serveOrCut(log, served('POST', away), call), away);
});

async function notedOf(
  pieces: AsyncIterable<string>,
  read: (body: Readable, stopping: AbortController) => void,
): Promise<unknown> {
  const request = { method: 'GET', id: 'r', brokenBy: null } as unknown as FastifyRequest;
  const stopping = new AbortController();
  const closed = Promise.withResolvers<void>();
  const reply: object = {
    ...{ code: () => reply, headers: () => reply, type: () => reply },
    send(body: Readable) {
      body.on('error', () => {});
      read(body, stopping);
      return reply;
    },
  };
  const stream = { type: 'text/csv', pieces, signal: stopping.signal, close: closed.resolve };
  send(request, reply as FastifyReply, { status: 200, stream });
  await closed.promise;
  return request.brokenBy;
}

test('why a streamed answer lacks its end is noted, unless its reader left', async () => {
  const lost = new Error('the next page could not be read');
  async function* failing() {
    yield 'one';
    throw lost;
  }
  async function* endless() {
    for (;;) yield 'more';
  }
  async function* whole() {
    yield 'all';
  }
  const readAll = (body: Readable) => void body.resume();
  assert.equal(await notedOf(failing(), readAll), lost);
  assert.equal(await notedOf(whole(), readAll), null);
  const leave = (body: Readable) => void body.once('data', () => body.destroy());
  assert.equal(await notedOf(endless(), leave), null);
  const stop = (body: Readable, stopping: AbortController) => void body.once('data', () => stopping.abort());
  assert.ok((await notedOf(endless(), stop)) instanceof BrokenOff);
});
