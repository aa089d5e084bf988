import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../libs/testing/src/rigs/storage-problems';

const isFull = process.env.LONG_RUNS === 'full';
const FILES = isFull ? 100_000 : 20_000;
const DEPTH = 200;

jest.setTimeout(15 * 60_000);

let files: FilesApp;
