export { scannerOf, scanQueueOf, type ScannerConfig } from './open-scanner';
export type { ScanQueue } from './scan-queue';
export { ScannerFailure, TEST_CONTENT, type ScanVerdict } from './scanner';
