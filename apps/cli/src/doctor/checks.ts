import { CERTIFICATE_CHECK } from './certificate';
import { CLOCK_CHECK } from './clock';
import { CONFIGURATION_CHECK } from './configuration';
import { DATABASE_CHECK } from './database';
import type { Check } from './finding';
import { KEYS_CHECK } from './keys';
import { OUTBOX_CHECK } from './outbox';
import { PUBLIC_ADDRESS_CHECK } from './public-address';
import { QUEUE_CHECK } from './queue';
import { STORAGE_CHECK } from './storage';

/** All checks, in the order of the report. */
export const CHECKS: readonly [Check, ...Check[]] = [
  DATABASE_CHECK,
  CONFIGURATION_CHECK,
  CLOCK_CHECK,
  QUEUE_CHECK,
  STORAGE_CHECK,
  KEYS_CHECK,
  PUBLIC_ADDRESS_CHECK,
  CERTIFICATE_CHECK,
  OUTBOX_CHECK,
];
