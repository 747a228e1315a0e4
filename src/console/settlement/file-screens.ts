import type { FileCoverage } from '../../reconciliation/imports/file-coverage.ts';
import type { SettlementFile } from '../../reconciliation/imports/settlement-file.ts';
import type { FileUnderWay, ListedFile } from '../../reconciliation/imports/settlement-files.sql.ts';
import type { ListedRefusal } from '../../reconciliation/imports/settlement-refusals.sql.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import { html } from '../parts/html.ts';
import { FILE, FILES } from '../parts/paths.ts';
import { ALL_ROLES, type Screen, screen } from '../parts/screen.ts';
import { coverageSection, refusedSection, underWaySection } from './file-state-view.ts';
import { filePage, fileTable } from './file-view.ts';

export type FileTools = {
  /** Those with a lower number, the newest first, up to a bound. */
  readonly listFiles: (before: number) => Promise<readonly ListedFile[]>;
  readonly readFile: (fileNumber: number) => Promise<SettlementFile | null>;
  /** The newest first, up to a bound. */
  readonly listFilesUnderWay: () => Promise<readonly FileUnderWay[]>;
  readonly listRefusedFiles: () => Promise<readonly ListedRefusal[]>;
  readonly findCoverages: (from: Day, to: Day) => Promise<readonly FileCoverage[]>;
};

type Files = {
  readonly files: readonly ListedFile[];
  /** Null: of an older page of the list. */
  readonly state: {
    readonly underWay: readonly FileUnderWay[];
    readonly refused: readonly ListedRefusal[];
    readonly coverages: readonly FileCoverage[];
  } | null;
};

const NEWEST = 2 ** 31 - 1;
/** An acquirer keeps its files about as long. */
const DAYS_COVERED = 45;

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export const FILE_SCREENS: readonly Screen<FileTools>[] = [
  screen<FileTools, Files>({
    path: FILES,
    roles: ALL_ROLES,
    of: 'operator',
    title: 'Files',
    place: 4,
    async read({ query, now }, tools) {
      const before = numberOf(query.before);
      const files = await tools.listFiles(before ?? NEWEST);
      if (before !== null) return { files, state: null };
      // Today's file comes tomorrow.
      const yesterday = addDays(saoPauloDay(instant(now)), -1);
      const underWay = await tools.listFilesUnderWay();
      const refused = await tools.listRefusedFiles();
      const coverages = await tools.findCoverages(addDays(yesterday, 1 - DAYS_COVERED), yesterday);
      return { files, state: { underWay, refused, coverages } };
    },
    view: ({ files, state }, visit) =>
      html`${state !== null && underWaySection(state.underWay, visit)}${fileTable(files, visit)}${
        state !== null &&
        html`${coverageSection(state.coverages, visit)}${refusedSection(state.refused, visit)}`
      }`,
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
