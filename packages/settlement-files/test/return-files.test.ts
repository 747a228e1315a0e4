import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BANKS } from '../src/banks/banks.ts';
import { CNAB240_RECORDS } from '../src/banks/cnab240-layout.ts';
import { ReturnFileRefused } from '../src/banks/return-entry.ts';
import { cnab240, cnab400, returned, returnedLines, type Shape240 } from './return-lines.ts';
import { digits, type Texts, withText } from './written-lines.ts';

const PAID = { movement: '06', companyUse: '10000000001', value: 10_000, paid: 10_250, fee: 190 };

/** Each bank as it frames its lots. */
const SHAPES_240: readonly Shape240[] = [
  ...['001', '041', '104', '133', '237', '341', '422', '748', '756'].map((bank) => ({ bank })),
  { bank: '033', lot: '9692', lotOfTrailer: '9692', isSantander: true, countsDetails: true },
  { bank: '085', lot: '0000' },
  { bank: '208', lotOfHeader: '0000' },
];

test('CNAB 240: a payment of every bank is read, by its own positions and lots', async () => {
  const banks = BANKS.filter(({ cnab240: dialect }) => dialect !== undefined).map(({ code }) => code);
  assert.deepEqual(SHAPES_240.map(({ bank }) => bank).sort(), banks.sort());
  for (const shape of SHAPES_240) {
    const { head, entries } = await returnedLines(
      cnab240(shape, [PAID, { movement: '02', bankNumber: '777' }, { movement: '09' }]),
    );
    assert.deepEqual([head?.format, head?.bank, head?.madeOn], ['cnab240', shape.bank, '2027-01-12']);
    const [paid, entered, writtenOff] = entries;
    // Sicredi gives the document's ten positions where others give what the company wrote.
    const names = shape.bank === '748' ? [null, '1000000000'] : ['10000000001', 'PEDIDO-1'];
    assert.deepEqual(
      [paid?.event, paid?.companyUse, paid?.documentNumber, paid?.value, paid?.paid, paid?.fee],
      ['paid', ...names, 10_000, 10_250, 190],
      shape.bank,
    );
    assert.deepEqual(
      [paid?.dueOn, paid?.happenedOn, paid?.creditedOn],
      ['2027-01-10', '2027-01-11', '2027-01-12'],
    );
    assert.deepEqual(
      [entered?.event, entered?.isKnown, entered?.bankNumber],
      [null, true, '777'],
      shape.bank,
    );
    assert.equal(writtenOff?.event, 'canceled');
  }
});

const DETAIL: Texts = {
  38: '10000000001',
  63: '12345678',
  109: '06110127PEDIDO-1',
  147: `100127${digits(10_000, 13)}`,
  176: digits(190, 13),
  254: digits(10_250, 13),
  296: '120127',
};
/** What of the usual line stands elsewhere. */
function elsewhere(without: readonly number[], texts: Texts): Texts {
  const kept = Object.entries(DETAIL).filter(([from]) => !without.includes(Number(from)));
  return { ...Object.fromEntries(kept), ...texts };
}

const DETAILS_400: Readonly<Record<string, Texts>> = {
  '001': elsewhere([176, 296], { 176: '120127', 182: digits(190, 7) }),
  '004': elsewhere([296], {}),
  '033': DETAIL,
  '041': DETAIL,
  '104': elsewhere([38, 109, 296], { 32: '10000000001', 109: '21110127PEDIDO-1', 294: '120127' }),
  '084': elsewhere([63], { 71: '12345678' }),
  '133': DETAIL,
  '224': elsewhere([296], {}),
  '237': DETAIL,
  '336': DETAIL,
  '399': elsewhere([296], {}),
  '422': DETAIL,
  '435': elsewhere([296], { 386: '120127' }),
  '633': elsewhere([296], {}),
  '643': elsewhere([296], {}),
  '707': elsewhere([63, 296], { 65: '123456789' }),
  '712': DETAIL,
  '756': elsewhere([176, 296], { 176: '120127', 182: digits(190, 7) }),
};

test('CNAB 400: a payment of every bank is read, by its own positions', async () => {
  for (const [bank, texts] of Object.entries(DETAILS_400)) {
    const lines = cnab400({ bank }, [texts]);
    if (bank === '336') lines[0] = withText(lines[0] ?? '', 125, '120127');
    const { head, entries } = await returnedLines(lines);
    assert.deepEqual([head?.format, head?.bank, head?.madeOn], ['cnab400', bank, '2027-01-12']);
    const [{ lineNumber: _, number: _number, meaning, bankNumber, ...paid } = {}] = entries as [
      Partial<(typeof entries)[0]>,
    ];
    assert.ok(meaning?.startsWith('liquidação'), bank);
    assert.ok(bankNumber !== undefined);
    const hasCredit = !['004', '224', '399', '633', '643', '707'].includes(bank);
    assert.deepEqual(
      paid,
      {
        movement: bank === '104' ? '21' : '06',
        companyUse: '10000000001',
        documentNumber: 'PEDIDO-1',
        event: 'paid',
        isKnown: true,
        answer: null,
        reasons: null,
        value: 10_000,
        dueOn: '2027-01-10',
        paid: 10_250,
        fee: 190,
        happenedOn: '2027-01-11',
        creditedOn: hasCredit ? '2027-01-12' : null,
      },
      bank,
    );
  }
});

test('CNAB 400: Itaú says what is credited, and the fee belongs to what was paid', async () => {
  const { entries } = await returnedLines(
    cnab400({ bank: '341' }, [
      elsewhere([], { 254: digits(10_060, 13) }),
      elsewhere([], { 109: '03', 254: digits(0, 13) }),
    ]),
  );
  assert.deepEqual(
    entries.map(({ paid, event }) => [paid, event]),
    [
      [10_250, 'paid'],
      [0, null],
    ],
  );
});

test('CNAB 400: the lines of Inter, Sicredi, Unicred, and of agreements of Banco do Brasil', async () => {
  const inter = {
    38: '10000000001',
    71: '71234567890',
    90: '06110127PEDIDO-1',
    119: '100127',
    125: digits(10_000, 13),
  };
  const sicredi = {
    48: '162000001',
    109: '06110127PEDIDO-1',
    147: `100127${digits(10_000, 13)}`,
    254: digits(10_250, 13),
  };
  const { 48: _, ...others } = sicredi;
  const unicred = { ...others, 46: '00000000000012345' };
  const ofAgreement = elsewhere([38, 63, 176, 296], { 39: '10000000001', 64: '22507710000001931' });
  const files = [
    cnab400({ bank: '077' }, [{ ...inter, 160: digits(10_250, 13), 173: '120127' }]),
    cnab400({ bank: '748', madeOn: '20270112' }, [{ ...sicredi, 329: '20270112' }]),
    cnab400({ bank: '136' }, [{ ...unicred, 176: '120127', 182: digits(190, 7) }]),
    cnab400({ bank: '001', type: '7' }, [{ ...ofAgreement, 176: '120127', 182: digits(190, 7) }]),
  ];
  const read = await Promise.all(files.map((lines) => returnedLines(lines)));
  assert.deepEqual(
    read.map(({ entries: [entry] }) => [
      entry?.event,
      entry?.bankNumber,
      entry?.companyUse,
      entry?.paid,
      entry?.creditedOn,
    ]),
    [
      ['paid', '71234567890', '10000000001', 10_250, '2027-01-12'],
      ['paid', '162000001', null, 10_250, '2027-01-12'],
      ['paid', '00000000000012345', null, 10_250, '2027-01-12'],
      ['paid', '22507710000001931', '10000000001', 10_250, '2027-01-12'],
    ],
  );
});

test('a movement that is not certain keeps its code and its amount, and is no payment', async () => {
  const unclear: [string, string][] = [
    ['341', '10'],
    ['341', '17'],
    ['104', '17'],
    ['104', '47'],
    ['237', '44'],
    ['237', '99'],
    ['033', '25'],
  ];
  for (const [bank, movement] of unclear) {
    const shape = SHAPES_240.find((one) => one.bank === bank) as Shape240;
    const { entries } = await returnedLines(cnab240(shape, [{ ...PAID, movement }]));
    assert.deepEqual([entries[0]?.event, entries[0]?.movement, entries[0]?.paid], [null, movement, 10_250]);
    assert.equal(entries[0]?.isKnown, bank === '341' && movement === '17', `${bank} ${movement}`);
  }
  for (const [bank, codes] of [
    ['033', ['16', '10', '77']],
    ['237', ['40', '22']],
    ['001', ['44', '61']],
  ] as const) {
    for (const code of codes) {
      const { entries } = await returnedLines(
        cnab400({ bank }, [{ ...DETAILS_400[bank], 109: `${code}110127PEDIDO-1` }]),
      );
      assert.deepEqual([entries[0]?.event, entries[0]?.isKnown], [null, false], `${bank} ${code}`);
    }
  }
});

test('costs and orders that a bank lists beside payments are known, and change nothing', async () => {
  const listed = [
    ['240', '001', '08'],
    ['240', '341', '54'],
    ['240', '033', 'A4'],
    ['400', '341', '78'],
    ['400', '041', '44'],
    ['400', '435', '97'],
  ] as const;
  for (const [format, bank, movement] of listed) {
    const shape = SHAPES_240.find((one) => one.bank === bank) as Shape240;
    const lines =
      format === '240'
        ? cnab240(shape, [{ ...PAID, movement }])
        : cnab400({ bank }, [{ ...DETAIL, 109: `${movement}110127PEDIDO-1` }]);
    const [entry] = (await returnedLines(lines)).entries;
    assert.deepEqual(
      [entry?.event, entry?.answer, entry?.isKnown],
      [null, null, true],
      `${bank} ${movement}`,
    );
  }
});

test('a CNAB 400 that lost its header is no file of a bank, whatever number its first line begins with', async () => {
  const [, ...torn] = cnab400({ bank: '001', type: '7' }, [{ ...DETAIL, 2: '0000000000000' }]);
  await assert.rejects(returnedLines(torn), { fault: 'notAReturnFile' });
});

test('what a bank refuses is an answer to what was asked, and neither pays nor ends a boleto', async () => {
  const tables = BANKS.flatMap(({ code, cnab240: one, cnab400: other }) => [
    ...(one === undefined ? [] : [{ bank: code, movements: one.movements }]),
    ...(other === undefined ? [] : [{ bank: code, movements: other.movements }]),
  ]);
  const isRefusal = /^(?:entrada|baixa|instrução|comando|rejeição do título)\b.*(?:rejei|recus|não aceit)/;
  for (const { bank, movements } of tables) {
    for (const { use, meaning } of Object.values(movements)) {
      const isAnswer = ['notRegistered', 'notWrittenOff', 'laterRefused', 'notDone'].includes(use);
      if (isRefusal.test(meaning) && !/protesto|banco de pagador/.test(meaning))
        assert.ok(isAnswer, `${bank} ${meaning}`);
    }
  }
  const refused = (movement: string) => ({ ...PAID, movement });
  const { entries } = await returnedLines(
    cnab240({ bank: '341' }, ['03', '15', '16', '14', '17', '02', '09'].map(refused)),
  );
  assert.deepEqual(
    entries.map(({ event, answer }) => [event, answer?.to, answer?.isAccepted]),
    [
      [null, 'register', false],
      [null, 'writeOff', false],
      [null, 'later', false],
      [null, 'dueDay', true],
      [null, 'dueDay', false],
      [null, 'register', true],
      ['canceled', 'writeOff', true],
    ],
  );
  const [ofBank] = (await returnedLines(cnab400({ bank: '001' }, [{ ...DETAIL, 109: '03110127PEDIDO-1' }])))
    .entries;
  assert.deepEqual([ofBank?.event, ofBank?.answer], [null, { to: 'either', isAccepted: false }]);
});

test('a payment without amount or day is kept for a person, and the file is taken', async () => {
  const { entries } = await returnedLines(cnab240({ bank: '756' }, [{ ...PAID, paid: 0 }, PAID]));
  assert.deepEqual(
    entries.map(({ event, isKnown }) => [event, isKnown]),
    [
      [null, false],
      ['paid', true],
    ],
  );
});

const GOOD_240 = cnab240({ bank: '237' }, [PAID, { movement: '02' }, PAID]);
const GOOD_400 = cnab400({ bank: '237' }, [DETAIL, DETAIL, DETAIL]);

test('every line that is cut, doubled, or swapped with another, is found', async () => {
  for (const good of [
    GOOD_240,
    GOOD_400,
    ...SHAPES_240.slice(-3).map((shape) => cnab240(shape, [PAID, PAID])),
  ]) {
    await returnedLines(good);
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.nat(good.length - 1), async (one, other) => {
        const without = good.filter((_, at) => at !== one);
        const twice = good.flatMap((text, at) => (at === one ? [text, text] : [text]));
        const swapped = good.with(one, good[other] ?? '').with(other, good[one] ?? '');
        await assert.rejects(returnedLines(without), ReturnFileRefused);
        await assert.rejects(returnedLines(twice), ReturnFileRefused);
        if (good[one] !== good[other]) await assert.rejects(returnedLines(swapped), ReturnFileRefused);
      }),
    );
  }
});

test('a pair that is cut at the end of a lot is found, whatever its trailer counts', async () => {
  for (const shape of SHAPES_240) {
    const good = cnab240(shape, [PAID, PAID]);
    await assert.rejects(returnedLines(good.toSpliced(4, 2)), ReturnFileRefused, shape.bank);
  }
});

test('BTG counts payments instead of records, beside an amount of its own', async () => {
  const shape = { bank: '208', lotOfHeader: '0000' };
  const good = cnab240(shape, [{ movement: '02' }, PAID]);
  const counting = (payments: number) =>
    good
      .with(-2, withText(good.at(-2) ?? '', 18, digits(1, 6) + digits(payments, 6) + digits(2_065_330, 15)))
      .with(-1, withText(good.at(-1) ?? '', 24, digits(1, 6)));
  assert.equal((await returnedLines(counting(1))).entries.length, 2);
  await assert.rejects(returnedLines(counting(2)), { fault: 'lotCount' });
});

test('Caixa has files of the same day, and says of a remessa what it thinks of it', async () => {
  const kind = (bank: string, digit: string) => {
    const good = cnab240({ bank }, [{ ...PAID, movement: '46' }]);
    return good.with(0, withText(good[0] ?? '', 143, digit));
  };
  const [paid] = (await returnedLines(kind('104', '7'))).entries;
  assert.deepEqual([paid?.event, paid?.paid], ['paid', 10_250]);
  await assert.rejects(returnedLines(kind('237', '7')), { fault: 'direction' });
  for (const digit of ['3', '4', '5']) await assert.rejects(returnedLines(kind('104', digit)), /pré-crítica/);
});

test('what surrounds the lines changes nothing', async () => {
  for (const good of [GOOD_240, GOOD_400]) {
    const { entries } = await returnedLines(good);
    const plain = good.join('\r\n');
    const utf8 = good.with(0, withText(good[0] ?? '', 80, 'É')).join('\n');
    const texts = [
      ...['\r\n', '\n', '\r'].map((end) => good.join(end)),
      ...['\r\n\r\n', '\r\n\u001a\r\n', '\u001a', '\n  \n', '\r\n '].map((end) => plain + end),
      good.join(''),
      `${good.join('')}\u001a`,
    ].map((text) => Buffer.from(text, 'latin1'));
    const files = [...texts, Buffer.from(`\ufeff${plain}`), Buffer.from(utf8), gzipSync(plain)];
    for (const bytes of files) {
      for (const size of [17, 100_000]) assert.deepEqual((await returned(bytes, size)).entries, entries);
    }
  }
  const trimmed = GOOD_240.map((one) => one.trimEnd());
  assert.deepEqual((await returnedLines(trimmed)).entries, (await returnedLines(GOOD_240)).entries);
});

test('positions may be counted in bytes of UTF-8: what follows an accent stays where it is', async () => {
  for (const [good, from] of [
    [GOOD_240, 149],
    [GOOD_400, 85],
  ] as const) {
    const at = good === GOOD_240 ? 2 : 1;
    const named = good.with(at, withText(good[at] ?? '', from, Buffer.from('JOÃO').toString('latin1')));
    const { entries } = await returnedLines(good);
    assert.equal(Buffer.from(named[at] ?? '', 'latin1').toString().length, (good[at] ?? '').length - 1);
    for (const end of ['\n', '']) assert.deepEqual((await returnedLines(named, end)).entries, entries);
  }
});

test('a pair in which a text grew is refused, and not read further right', async () => {
  for (const end of [GOOD_240, GOOD_240.map((one) => `${one}  `)]) {
    const line = end[2] ?? '';
    const grown = `${line.slice(0, 150)}??${line.slice(150)}`;
    await assert.rejects(returnedLines(end.with(2, grown)), { fault: 'lineLength', lineNumber: 3 });
    assert.equal((await returnedLines(end)).entries.length, (await returnedLines(GOOD_240)).entries.length);
  }
});

test('a tab and other control characters are refused with their position', async () => {
  for (const good of [GOOD_240, GOOD_400]) {
    for (const [index, line] of good.entries()) {
      for (const sign of ['\t', '\u0000', '\u001a']) {
        const bad = good.with(index, withText(line, 10, sign));
        await assert.rejects(returnedLines(bad), (error) => {
          assert.ok(error instanceof ReturnFileRefused);
          assert.equal(error.lineNumber, index + 1);
          assert.match(
            error.sentence.pt,
            sign === '\t' ? /tabulação na posição 10/ : /controle na posição 10/,
          );
          return true;
        });
      }
    }
  }
});

test('a fault and a movement name the line on which they stand, blank lines counted', async () => {
  for (const [good, last] of [
    [GOOD_240, 2],
    [GOOD_400, 1],
  ] as const) {
    const spaced = good.flatMap((line) => ['', line, '  ']);
    const [entry] = (await returnedLines(good)).entries;
    assert.equal((await returnedLines(spaced)).entries[0]?.lineNumber, 3 * (entry?.lineNumber ?? 0) - 1);
    const cut = spaced.with(3 * last + 1, spaced[3 * last + 1]?.slice(0, 100) ?? '');
    await assert.rejects(returnedLines(cut), { fault: 'lineLength', lineNumber: 3 * last + 2 });
    await assert.rejects(returnedLines(spaced.slice(0, -3)), {
      fault: 'noTrailer',
      lineNumber: 3 * good.length - 4,
    });
  }
});

test('what is not read is refused by its name, in Portuguese', async () => {
  const refusal = async (bytes: Uint8Array) => {
    const error = await returned(bytes).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof ReturnFileRefused);
    return error.sentence.pt;
  };
  const ofLines = (lines: readonly string[]) => refusal(Buffer.from(lines.join('\r\n'), 'latin1'));
  assert.match(await ofLines(cnab240({ bank: '070' }, [PAID])), /CNAB 240 do banco 070 \(BRB\)/);
  assert.match(await ofLines(cnab400({ bank: '655' }, [DETAIL])), /CNAB 400 do banco 655 \(Votorantim\)/);
  assert.match(await ofLines(cnab240({ bank: '077' }, [PAID])), /CNAB 240 do banco 077 \(Inter\)/);
  assert.match(await ofLines(GOOD_240.with(1, withText(GOOD_240[1] ?? '', 9, 'C20'))), /C20.*pagamentos/);
  assert.match(await ofLines(['01REMESSA01COBRANCA'.padEnd(400)]), /remessa/);
  assert.match(await ofLines([withText(GOOD_240[0] ?? '', 143, '1')]), /remessa/);
  assert.match(await ofLines([`A2${'0'.repeat(148)}`]), /arrecadação/);
  assert.match(await ofLines(['A0000006']), /adquirente \(Adiq/);
  assert.match(await ofLines(['nome;valor']), /CNAB 240 ou CNAB 400/);
  assert.match(await ofLines([]), /vazio/);
  assert.match(await refusal(Buffer.from('PK\u0003\u0004')), /zip/);
  assert.match(await refusal(Buffer.from('%PDF-1.7')), /PDF/);
  assert.match(await refusal(Buffer.from(`\ufeff${GOOD_240[0]}`, 'utf16le')), /UTF-16/);
  assert.match(await refusal(gzipSync(GOOD_240.join('\n')).subarray(0, 90)), /danificado/);
  const day = withText(GOOD_400[1] ?? '', 111, '320127');
  assert.match(await ofLines(GOOD_400.with(1, day)), /happenedOn.*"320127"/);
});

test('no name, document or account of a payer leaves the reader', async () => {
  const lines = GOOD_240.map((one, at) =>
    at === 2 ? withText(one, 133, '1000011144477735JOAO DA SILVA') : one,
  );
  const { entries } = await returnedLines(lines);
  assert.doesNotMatch(JSON.stringify(entries), /11144477735|JOAO/);
});

test('a million lines take the memory of a few', async () => {
  const pairs = 5_000;
  const many = cnab240(
    { bank: '237' },
    Array.from({ length: pairs }, () => PAID),
  );
  const { entries } = await returned(Buffer.from(many.join('\n'), 'latin1'), 65_536);
  assert.equal(entries.length, pairs);
});

test('the fields of each record of CNAB 240 follow each other without a hole up to 240', () => {
  for (const { title, fields } of CNAB240_RECORDS) {
    let next = 1;
    for (const [name, from, to] of fields) {
      assert.equal(from, next, `${title}: ${name}`);
      next = to + 1;
    }
    assert.equal(next, 241, title);
  }
});
