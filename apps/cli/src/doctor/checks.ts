import { CERTIFICATE_CHECK } from './certificate';
import { CLOCK_CHECK } from './clock';
import { CONFIGURATION_CHECK } from './configuration';
import { DATABASE_CHECK } from './database';
import { DIRECTORY_CHECK } from './directory';
import type { Check } from './finding';
import { ISSUER_CHECK } from './issuer';
import { KEYS_CHECK } from './keys';
import { OUTBOX_CHECK } from './outbox';
import { PUBLIC_ADDRESS_CHECK } from './public-address';
import { QUEUE_CHECK } from './queue';
import { SCANNER_CHECK } from './scanner';
import { STORAGE_CHECK } from './storage';
import { UPLOADS_CHECK } from './uploads';

/** All checks, in the order of the report. */
export const CHECKS: readonly [Check, ...Check[]] = [
  DATABASE_CHECK,
  CONFIGURATION_CHECK,
  CLOCK_CHECK,
  QUEUE_CHECK,
  STORAGE_CHECK,
  UPLOADS_CHECK,
  SCANNER_CHECK,
  ISSUER_CHECK,
  DIRECTORY_CHECK,
  KEYS_CHECK,
  PUBLIC_ADDRESS_CHECK,
  CERTIFICATE_CHECK,
  OUTBOX_CHECK,
];
