import type { Sentence } from '../sentence.ts';
import type { FaultOfField, FieldFault } from './fixed-width.ts';
import { reais } from './reais.ts';

/** Why a file is refused. A text of the file is repeated only if it is a short code. */

const FIELD_FAULTS: Readonly<Record<FieldFault, Sentence>> = {
  literal: { pt: 'não traz o texto fixo do leiaute', en: 'has not the fixed text of the layout' },
  digits: { pt: 'não traz só algarismos', en: 'has something else than digits' },
  empty: { pt: 'está vazio', en: 'is empty' },
  tooLarge: { pt: 'traz um valor grande demais', en: 'has too large an amount' },
  sign: { pt: 'não começa com + ou -', en: 'does not begin with + or -' },
  day: { pt: 'não traz um dia do calendário', en: 'has no day of the calendar' },
  time: { pt: 'não traz uma hora do dia', en: 'has no time of the day' },
  text: { pt: 'traz caracteres que não são texto', en: 'has characters that are no text' },
};

export function fieldSentence({ field, from, to, column, fault, found }: FaultOfField): Sentence {
  const { pt, en } = FIELD_FAULTS[fault];
  const place =
    column === null
      ? { pt: `posições ${from} a ${to}`, en: `positions ${from} to ${to}` }
      : { pt: `coluna ${column}`, en: `column ${column}` };
  return {
    pt: `O campo ${field} (${place.pt}) ${pt}${found ? `: traz "${found}"` : ''}.`,
    en: `Field ${field} (${place.en}) ${en}${found ? `: "${found}"` : ''}.`,
  };
}

export function columnTooLong(field: string, column: number, most: number): Sentence {
  return {
    pt: `O campo ${field} (coluna ${column}) tem mais de ${most} caracteres.`,
    en: `Field ${field} (column ${column}) has more than ${most} characters.`,
  };
}

export function fewerColumns(record: string, columns: number): Sentence {
  return {
    pt: `A linha tem menos colunas do que as ${columns} do registro ${record}.`,
    en: `The line has fewer columns than the ${columns} of record ${record}.`,
  };
}

export const NO_ACCOUNT: Sentence = {
  pt: 'Falta a esta negociação (A) a conta em que ela foi paga (C).',
  en: 'This negotiation (A) lacks the account that it is paid into (C).',
};

export function moreColumns(record: string, columns: number): Sentence {
  return {
    pt: `A linha tem mais colunas do que as ${columns} do registro ${record}: um texto com vírgula só é lido onde todas as colunas estão completas.`,
    en: `The line has more columns than the ${columns} of record ${record}: a text with a comma is read only where all columns are full.`,
  };
}

export const UNKNOWN_FORMAT: Sentence = {
  pt: 'A primeira linha não é o cabeçalho de um arquivo conhecido: de adquirente (Adiq EDI 3.1, Cielo 03, 04, 09, 15 e 16, Rede EEVC, EEVD e EEFI, Getnet) ou de banco (retorno CNAB 240 ou 400).',
  en: 'The first line is not the header of a known file: of an acquirer (Adiq EDI 3.1, Cielo 03, 04, 09, 15 and 16, Rede EEVC, EEVD and EEFI, Getnet) or of a bank (return file, CNAB 240 or 400).',
};

export const FILE_OF_BANK: Sentence = {
  pt: 'O arquivo é o retorno de um banco, e não o extrato de uma adquirente.',
  en: 'The file is a return file of a bank, and not one of an acquirer.',
};

export function otherFile(name: string, about: Sentence = { pt: '', en: '' }): Sentence {
  return {
    pt: `O arquivo é ${name}, que ainda não é lido. ${about.pt}`.trimEnd(),
    en: `The file is ${name}, which is not read yet. ${about.en}`.trimEnd(),
  };
}

export function otherCurrency(code: string): Sentence {
  return {
    pt: `O campo currency traz ${code}; só reais (RE) são lidos.`,
    en: `Field currency has ${code}; only reais (RE) are read.`,
  };
}

export function otherVersion(found: string, known: string): Sentence {
  const shown = /^[\w. -]{1,25}$/.test(found) ? ` ("${found}")` : '';
  return {
    pt: `O arquivo é de outra versão do leiaute${shown}: só a ${known} é lida. Peça o extrato nessa versão à adquirente.`,
    en: `The file is of another version of the layout${shown}: only ${known} is read. Ask the acquirer for that version.`,
  };
}

export const EMPTY_FILE: Sentence = { pt: 'O arquivo está vazio.', en: 'The file is empty.' };
export const EMPTY_LINE: Sentence = { pt: 'A linha está vazia.', en: 'The line is empty.' };

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A tab stands for blanks, so that what follows it is read at another position. null: none. */
export function controlFault(line: string): Sentence | null {
  const at = line.search(CONTROL);
  if (at === -1) return null;
  const isTab = line[at] === '\t';
  return {
    pt: `A linha tem ${isTab ? 'uma tabulação' : 'um caractere de controle'} na posição ${at + 1}: um editor mudou o arquivo. Baixe-o de novo.`,
    en: `The line has a ${isTab ? 'tab' : 'control character'} at position ${at + 1}: an editor changed the file. Download it again.`,
  };
}

export function longerThan(most: number): Sentence {
  return {
    pt: `A linha tem mais de ${most} posições.`,
    en: `The line has more than ${most} positions.`,
  };
}

export function shorterThan(record: string, length: number, found: number): Sentence {
  return {
    pt: `A linha tem ${found} posições; o registro ${record} tem ${length}.`,
    en: `The line has ${found} positions; record ${record} has ${length}.`,
  };
}

export function behindRecord(record: string, length: number): Sentence {
  return {
    pt: `Há texto depois da posição ${length}, onde o registro ${record} acaba.`,
    en: `There is text behind position ${length}, where record ${record} ends.`,
  };
}

export function unknownRecord(record: string): Sentence {
  return {
    pt: `O leiaute não conhece o registro "${record}".`,
    en: `The layout does not know record "${record}".`,
  };
}

export function outOfPlace(record: string): Sentence {
  return {
    pt: `O registro ${record} não pode estar aqui.`,
    en: `Record ${record} must not stand here.`,
  };
}

export const BEHIND_TRAILER: Sentence = {
  pt: 'Há uma linha depois do trailer.',
  en: 'There is a line behind the trailer.',
};

export function noTrailer(record: string): Sentence {
  return {
    pt: `O arquivo acaba sem o trailer ${record}.`,
    en: `The file ends without its trailer ${record}.`,
  };
}

/** Counts and line numbers are shown as they are; everything else is cents. */
export function disagrees(field: string, stated: number, found: number): Sentence {
  const [one, other] = [stated, found].map((value) =>
    /count|number/i.test(field) ? { pt: value, en: value } : reais(value),
  );
  return {
    pt: `O campo ${field} diz ${one?.pt}, e as linhas dão ${other?.pt}.`,
    en: `Field ${field} says ${one?.en}, and the lines come to ${other?.en}.`,
  };
}

export function notOf(field: string, record: string): Sentence {
  return {
    pt: `O campo ${field} não é o do registro ${record} a que a linha pertence.`,
    en: `Field ${field} is not that of the record ${record} to which the line belongs.`,
  };
}

export const INSTALLMENT_BEYOND: Sentence = {
  pt: 'O número da parcela é maior do que o de parcelas.',
  en: 'The number of the installment is greater than that of the installments.',
};

export const NO_UNIT: Sentence = {
  pt: 'Nenhum registro D antes da linha tem esta chave UR e este tipo de lançamento e ainda espera lançamentos.',
  en: 'No record D before the line has this UR key and this type of entry and still awaits entries.',
};

export const UNIT_OPEN: Sentence = {
  pt: 'O registro D anterior desta chave UR e deste tipo ainda espera lançamentos.',
  en: 'The record D before it of this UR key and this type still awaits entries.',
};

export function tooMany(what: Sentence, most: number): Sentence {
  return { pt: `Mais de ${most} ${what.pt}.`, en: `More than ${most} ${what.en}.` };
}

export const DAYS_REVERSED: Sentence = {
  pt: 'O último dia do movimento é anterior ao primeiro.',
  en: 'The last day of the movement is before the first.',
};
