import type { Command } from '../command';
import { examine, reportOf } from '../doctor/examine';
import { failed } from '../doctor/finding';

/** Checks everything that an instance needs, and gives advice. */
export const DOCTOR_COMMAND: Command = {
  name: 'doctor',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary:
    'Looks at configuration, database, clock, queue, storage, keys, the public address as partners see it, certificate and deliveries, and says what to do. Exit code 0: all is well; 1: warnings; 2: something failed.',
  anySchema: true,
  async run(_input, instance) {
    // The checks load many modules, which other commands do not need.
    const { CHECKS } = await import('../doctor/checks.js');
    return reportOf(await examine(CHECKS, instance));
  },
  refused: (sentences) =>
    reportOf(
      sentences.map((sentence) => ({
        check: 'configuration',
        ...failed('value', sentence, 'Correct it, then ask again: nothing else was looked at.'),
      })),
    ),
};
