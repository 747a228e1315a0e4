import assert from 'node:assert/strict';
import { test } from 'node:test';
import { originsFault, soundOrigins } from './card-fields.ts';

test('frames are served by the rule by which they are put: none where the operator named no origin, none on ours', () => {
  const ours = 'https://pay.example.com';
  const put = ['https://loja.com.br', ours, 'http://loja.com.br'];
  for (const [rules, sound] of [
    [{ takesHttp: true, ours: null }, put],
    [{ takesHttp: false, ours: null }, []],
    [{ takesHttp: false, ours }, ['https://loja.com.br']],
  ] as const) {
    assert.deepEqual(soundOrigins(put, rules), sound);
    assert.equal(originsFault(sound, rules), null);
  }
});
