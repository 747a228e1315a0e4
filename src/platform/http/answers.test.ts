import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { Log } from '../log.ts';
import { CommitUnknown, DatabaseUnavailable } from '../postgres/database-errors.ts';
import { answerMalformedHttp, serveOrCut } from './answers.ts';
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
