import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleText } from 'node:util';
import { prettyLine } from './log.ts';

const PLAINLY = { showsAnchors: false, hasColors: false };

function pretty(fields: object, options = PLAINLY): string {
  return prettyLine(JSON.stringify({ level: 'info', time: '2026-11-21T13:00:00.123Z', ...fields }), options);
}

test('a line is reported as time, level, message and fields', () => {
  const line = pretty({
    route: '/v1/payments',
    status: 200,
    reason: 'two words',
    msg: 'a request was answered',
  });
  assert.match(
    line,
    /^\d\d:\d\d:00\.123 info {2}a request was answered route=\/v1\/payments status=200 reason="two words"\n$/,
  );
});

test('a stack stands below its line', () => {
  assert.match(
    pretty({ level: 'error', msg: 'broke', stack: ['    at one', '    at two'] }),
    /ERROR broke\n +at one\n +at two\n$/,
  );
});

test('anchors of the audit log are shown to whoever asks for them', () => {
  const anchor = { auditEntry: 1, auditSeal: '9f', msg: 'an audit entry was written' };
  assert.equal(pretty(anchor), '');
  assert.match(pretty(anchor, { ...PLAINLY, showsAnchors: true }), /auditEntry=1/);
});

test('no value forges a line, a color or a direction', () => {
  const evil = 'x\n13:00 info paid\u001b[2J\u009b1m\u202e\u2028';
  for (const line of [
    pretty({ msg: evil }),
    pretty({ msg: 'm', evil }),
    pretty({ msg: 'm', stack: [evil] }),
  ]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    assert.doesNotMatch(line.replace(/\n(?=$| {14}x)/g, ''), /[\u0000-\u001f\u007f-\u009f\u202e\u2028]/);
  }
});

test('who can show colors gets them', () => {
  const line = pretty({ level: 'warn', msg: 'm' }, { ...PLAINLY, hasColors: true });
  assert.ok(line.endsWith(`${styleText('yellow', 'warn ', { validateStream: false })} m\n`), line);
});
