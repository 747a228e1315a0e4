import { pathOf } from '../parts/screen.ts';

export const MOST_FILES_SHOWN = 50;
export const FILE = '/files/{fileNumber}';

export const filePath = (fileNumber: number) => pathOf(FILE, { fileNumber: String(fileNumber) });
