import type { Command } from '../command';
import { GROUP_COMMANDS } from './group';
import { MIGRATE_COMMAND } from './migrate';
import { STATUS_COMMAND } from './status';
import { USER_COMMANDS } from './user';

/** Every command, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
  ...USER_COMMANDS,
  ...GROUP_COMMANDS,
  MIGRATE_COMMAND,
  STATUS_COMMAND,
];
