import type { SettlementFile } from '../../reconciliation/imports/settlement-file.ts';
import type { ListedFile } from '../../reconciliation/imports/settlement-files.sql.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import { filePage, fileTable } from './file-view.ts';
import { FILE } from './shown-file.ts';

export type FileTools = {
  /** Those with a lower number, the newest first, up to a bound. */
  readonly listFiles: (before: number) => Promise<readonly ListedFile[]>;
  readonly readFile: (fileNumber: number) => Promise<SettlementFile | null>;
};

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export const FILE_SCREENS: readonly Screen<FileTools>[] = [
  screen<FileTools, readonly ListedFile[]>({
    path: '/files',
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Files',
    place: 4,
    read: ({ query }, { listFiles }) => listFiles(numberOf(query.before) ?? 2 ** 31 - 1),
    view: fileTable,
  }),
  screen<FileTools, SettlementFile>({
    path: FILE,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'File',
    async read({ parameters }, { readFile }) {
      const number = numberOf(parameters.fileNumber);
      return (number === null ? null : await readFile(number)) ?? 'notFound';
    },
    view: filePage,
  }),
];
