import '#node-version';
import {
  createLogger,
  endWith,
  onStopSignals,
  readConfig,
  warnOfMisspeltVariables,
  type Config,
  type Logger,
} from '#platform';
import type { WholeInstance } from './instance';
import { welcome } from './welcome';

type Announce = (line: string) => void;

/** Reports the progress of the start to people on standard output, or in log lines if another program reads it. */
function announcing({ OUTPUT }: Config, logger: Logger): Announce {
  if (OUTPUT === 'text') return (line) => void process.stdout.write(`${line}\n`);
  const log = logger.child({ subsystem: 'start' });
  return (text) => {
    for (const line of text.split('\n').filter(Boolean)) log.info(line.trim());
  };
}

// The gateway goes on, and stops in order, if the reader of its output ends: for Ctrl-C, `tee` ends at once.
process.stdout.on('error', () => undefined);

async function stop(instance: WholeInstance, announce: Announce): Promise<never> {
  announce('Stopping ...');
  await instance.stop();
  announce('Stopped.');
  process.exit(0);
}

async function main(): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig();
    // Loaded late, so that an invalid configuration is refused at once.
    const { startInstance } = await import('./instance.js');
    const logger = createLogger(config.LOG_LEVEL);
    warnOfMisspeltVariables(logger);
    const announce = announcing(config, logger);
    const starting = startInstance({ config, logger, announce });
    let running: WholeInstance | null = null;
    onStopSignals(
      // A running start is finished first: it takes only seconds, and leaves nothing incomplete.
      () => void starting.then((instance) => stop(instance, announce)).catch(endWith),
      () => (running ? running.hurry() : process.exit(1)),
    );
    running = await starting;
    announce(welcome(running));
    endWith(await running.failed, config);
  } catch (error) {
    endWith(error, config);
  }
}

void main();
