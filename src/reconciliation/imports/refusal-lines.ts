import type { ImportResult } from './import-settlement-file.ts';

/** Why a file was refused, in lines for the operator. */
export function refusalLines({ reason, faults }: Extract<ImportResult, { kind: 'refused' }>): string[] {
  const ofLines = faults.map(({ lineNumber, record, field, sentence }) => {
    const place = [
      `line ${lineNumber}`,
      ...(record === null ? [] : [`record ${record}`]),
      ...(field === null ? [] : [`field ${field}`]),
    ];
    return `${place.join(', ')}: ${sentence.en}`;
  });
  return [...(reason === null ? [] : [reason]), ...ofLines];
}
