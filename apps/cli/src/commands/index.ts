import type { Command } from '../command';
import { CAPABILITY_COMMANDS } from './capability';
import { GROUP_COMMANDS } from './group';
import { MIGRATE_COMMAND } from './migrate';
import { SETTING_COMMANDS } from './setting';
import { SHARE_COMMANDS } from './share';
import { STATUS_COMMAND } from './status';
import { USER_COMMANDS } from './user';

/** Every command, in the order of the usage text. */
export const COMMANDS: readonly Command[] = [
  ...USER_COMMANDS,
  ...GROUP_COMMANDS,
  ...SHARE_COMMANDS,
  ...SETTING_COMMANDS,
  ...CAPABILITY_COMMANDS,
  MIGRATE_COMMAND,
  STATUS_COMMAND,
];
