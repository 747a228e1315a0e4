import assert from 'node:assert/strict';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLog } from './log.ts';

test('no line has a card number, in whatever field or depth it came', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-log-'));
  try {
    for (const format of ['json', 'ecs', 'pretty'] as const) {
      const path = join(folder, format);
      const fd = openSync(path, 'w');
      const log = openLog('info', format, fd);
      const reason = 'duplicate key (4111 1111 1111 1111)';
      log.info(
        { resource: 'a/4111111111111111/b', requestId: 'x7', inner: { list: [4111111111111111] } },
        'one',
      );
      log.error({ error: 'Error', reason, stack: ['at 4111-1111-1111-1111'] }, 'no 4111111111111111');
      await log.close();
      const text = await readFile(path, 'utf8');
      assert.ok(!/4111|1111/.test(text), text);
      assert.ok(text.includes('a/****************/b') && text.includes('x7'), text);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a line is out of the process when its writer was told so, however many write at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-log-'));
  const path = join(folder, 'lines');
  const log = openLog('info', 'json', openSync(path, 'w'), 60_000);
  try {
    const writers = Array.from({ length: 50 }, async (_, writer) => {
      for (let time = 0; time < 20; time += 1) {
        log.info({ line: `${writer}.${time}.` }, 'x'.repeat(time * 40));
        await log.flushed();
        assert.ok(readFileSync(path, 'utf8').includes(`"${writer}.${time}."`), `${writer}.${time}`);
      }
    });
    await Promise.all(writers);
  } finally {
    await log.close();
    await rm(folder, { recursive: true, force: true });
  }
});
