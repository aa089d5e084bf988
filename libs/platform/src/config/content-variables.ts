import * as parse from './parsers';
import { optional, required } from './variable';

/** Variables about the contents of files: the blob store and the scanner. */
export const CONTENT_VARIABLES = {
  BLOB_STORE: optional({
    parse: parse.blobStoreAddress,
    meaning:
      'Where file content is kept: file:<directory>, or s3://<bucket>/<prefix> at any service that speaks S3; file:<DATA_DIR>/blobs when absent.',
    example: 'file:/srv/drawbridge/blobs',
  }),
  S3_ENDPOINT: optional({
    parse: parse.webAddress,
    meaning: 'Address of the S3 service; that of Amazon for S3_REGION when absent.',
    example: 'https://s3.example.org',
  }),
  S3_REGION: required({
    parse: parse.shortName,
    fallback: 'us-east-1',
    meaning: 'Region of the bucket; services without regions accept the default.',
  }),
  S3_ACCESS_KEY_ID: optional({
    parse: parse.text,
    meaning:
      'Access key of the S3 service. Without it the usual sources are used (AWS_* variables, files, the role of the machine or pod).',
    example: 'drawbridge',
  }),
  S3_SECRET_ACCESS_KEY: optional({
    parse: parse.text,
    meaning: 'Secret that belongs to S3_ACCESS_KEY_ID.',
    example: 'a-long-secret',
    secret: true,
  }),
  S3_PATH_STYLE: required({
    parse: parse.flag,
    fallback: 'true',
    meaning: 'Whether addresses have the bucket in their path rather than in their host name.',
  }),
  SCANNER: optional({
    parse: parse.scannerAddress,
    meaning:
      'The program that scans uploads for malware before they become visible: clamd://<host>:<port> or clamd:<path of its socket>, or icap://<host>:<port>/<service>. Settings of files_antivirus select the users. Nothing is scanned when absent.',
    example: 'clamd://clamd.example.org:3310',
  }),
  SCANNER_TIMEOUT: required({
    parse: parse.duration(1_000, 3_600_000),
    fallback: '1m',
    meaning: 'How long an upload may wait for the scanner; after that the scanner counts as unreachable.',
  }),
  SCANNER_CONCURRENCY: required({
    parse: parse.integer(1, 1000),
    fallback: '4',
    meaning:
      'Contents that one process sends to the scanner at once; clamd scans as many from all processes as MaxThreads says: 10 as shipped, 12 in Debian.',
  }),
};
