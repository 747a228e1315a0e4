import { pathOf } from '../parts/screen.ts';

export const MOST_FILES_SHOWN = 50;
export const MOST_REFUSED_SHOWN = 50;
export const MOST_COVERAGES_SHOWN = 100;
export const FILE = '/files/{fileNumber}';

export const filePath = (fileNumber: number) => pathOf(FILE, { fileNumber: String(fileNumber) });
