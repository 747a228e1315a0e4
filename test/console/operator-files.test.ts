import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../src/values/instant.ts';
import { openTestService, type TestService } from '../kit/service.ts';
import { signedIn, type Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let viewer: Visitor;
before(async () => {
  service = await openTestService();
  viewer = await signedIn(service, 'viewer', null);
});
after(() => service.close());

async function filesPage(query = ''): Promise<string> {
  const { status, text } = await viewer.turnTo(`/console/files${query}`);
  assert.equal(status, 200, text);
  return text;
}

/** As a file stands that was taken, or is being taken. */
async function keepFile(
  name: string,
  day: Day,
  taken: 'taken' | 'matching' | 'underWay' | 'left',
): Promise<number> {
  const isTaken = taken === 'taken' || taken === 'matching';
  const due =
    taken === 'underWay' || taken === 'matching' ? "now() + interval '1 hour'" : "now() - interval '1 hour'";
  const [row] = await service.auditor.query(
    `insert into settlement_files (sha256, name, format, version, establishment, made_on, from_on, to_on, is_repetition,
       taken_by, taken_at, matched_at, matched_line, due_at)
     values (sha256($1::text::bytea), $1, 'adiq', '1', '4711', $2::date, $2::date, $2::date, false, 'ana',
       ${isTaken ? 'now()' : 'null'}, ${taken === 'taken' ? 'now()' : 'null'}, ${taken === 'matching' ? 1_234 : 0},
       ${taken === 'taken' ? 'null' : due}) returning file_number::int`,
    [name, day],
  );
  return row?.file_number as number;
}

async function keepRefusal(name: string, reason: string | null, faults: object[] = []): Promise<void> {
  await service.auditor.query(
    `insert into settlement_refusals (sha256, name, size_bytes, reason, faults, refused_by)
     values (sha256($1::text::bytea), $1, 4096, $2, $3, 'system')`,
    [name, reason, JSON.stringify(faults)],
  );
}

test('what was refused is listed with its reason, and with what to do', async () => {
  assert.match(wordsOf(await filesPage()), /Nenhum arquivo foi recusado\./);
  const fault = (lineNumber: number) => ({
    lineNumber,
    record: 'L9',
    field: 'total',
    sentence: { pt: 'O total não confere.', en: 'The total does not fit.' },
  });
  await keepRefusal('cortado.txt', null, [4, 5, 6, 7, 8, 9].map(fault));
  await keepRefusal('outro.txt', 'it changed while it was read');
  const words = wordsOf(await filesPage());
  assert.match(words, /cortado\.txt Recusado Linha 4, total: O total não confere\./);
  assert.match(words, /e outras linhas Peça-o de novo à adquirente/);
  assert.match(
    words,
    /outro\.txt Recusado mudou enquanto era lido Entregue-o de novo quando o envio terminar\./,
  );
  assert.match(words, / system [0-9a-f]{12}/);
  const number = await keepFile('outro.txt', '2020-01-02' as Day, 'taken');
  assert.match(wordsOf(await filesPage()), new RegExp(`outro\\.txt Importado depois ${number}`));
});

test('a name and a reason with elements in them are shown as texts', async () => {
  await keepRefusal('<img src=x onerror=alert(1)>', '<script>alert(1)</script>');
  const page = await filesPage();
  assert.ok(!/<img|<script>/.test(page));
  assert.ok(page.includes('&lt;script&gt;alert(1)'));
});

test('files that are being taken and matched show how far they are', async () => {
  await keepFile('agora.txt', '2020-01-03' as Day, 'underWay');
  await keepFile('morto.txt', '2020-01-03' as Day, 'left');
  await keepFile('conferindo.txt', '2020-01-03' as Day, 'matching');
  const words = wordsOf(await filesPage());
  assert.match(words, /agora\.txt Adiq EDI 3\.1 0 .* ana Só vale quando a importação terminar/);
  assert.match(words, /morto\.txt Adiq EDI 3\.1 0 .* ana O processo terminou/);
  assert.match(words, /conferindo\.txt Adiq EDI 3\.1 .*Conferido até a linha 1\.234/);
  assert.ok(!wordsOf(await filesPage('?before=1')).includes('agora.txt'), 'older pages are the list alone');
});

test('business days without a file are named by establishment', async () => {
  const today = saoPauloDay(instant(Date.now()));
  const first = businessDayFrom(addDays(today, -20));
  await keepFile('primeiro.txt', first, 'taken');
  const missing = businessDayFrom(addDays(first, 1));
  const words = wordsOf(await filesPage());
  const written = `${missing.slice(8)}/${missing.slice(5, 7)}/${missing.slice(0, 4)}`;
  assert.match(words, /Adiq EDI 3\.1 4711 \d+ em falta/);
  assert.ok(words.includes(written) || /e mais \d+/.test(words), `${written}: ${words}`);
  for (let day = missing; day < today; day = addDays(day, 1)) await keepFile(`dia-${day}.txt`, day, 'taken');
  assert.match(wordsOf(await filesPage()), /Adiq EDI 3\.1 4711 Completo –/);
});
