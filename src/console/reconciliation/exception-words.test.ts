import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExceptionClass } from '../../reconciliation/exceptions/exception.ts';
import { consoleWording } from '../console-wording.ts';
import { foundText } from './exception-words.ts';

const shown = (name: ExceptionClass, text: string | null) =>
  foundText(name, text, consoleWording()('pt')).replaceAll('\u00a0', ' ');

test('what was expected and found is money, a day, a count or a reason, as people read it', () => {
  assert.equal(shown('feeDiffers', '249'), 'R$ 2,49');
  assert.equal(shown('amountDiffers', '-100'), '-R$ 1,00');
  assert.equal(shown('dateDiffers', '2026-12-24'), '24/12/2026');
  assert.equal(shown('duplicateInFile', '2'), '2');
  assert.equal(shown('notInFile', null), '–');
  assert.equal(shown('notInParcela', 'ambiguous'), 'Mais de uma venda possível');
  assert.equal(shown('unknownCode', '49'), 'Código desconhecido 49');
  assert.equal(
    shown('unknownCode', '16 341/10000000042 (baixa? repetida?)'),
    '16 341/10000000042 (baixa? repetida?): o banco não informou a qual instrução a ocorrência se refere; considerada a baixa',
  );
  const repeated = '14 341/10000000042 (repetida?)';
  assert.equal(shown('unknownCode', repeated), repeated);
  assert.match(shown('unknownCode', '17 341/10000000042 (data 20/12?)'), /considerada a mais antiga$/);
  assert.equal(shown('notInParcela', 'of another version'), '“of another version”');
});
