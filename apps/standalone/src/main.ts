import '#node-version';
import { createLogger, endWith, onStopSignals, readConfig, type Config } from '#platform';
import type { Instance } from './instance';
import { welcome } from './welcome';

function announce(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function stop(instance: Instance): Promise<never> {
  announce('Stopping ...');
  await instance.stop();
  announce('Stopped.');
  process.exit(0);
}

async function main(): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig();
    // A configuration that is refused does not wait until everything is loaded.
    const { startInstance } = await import('./instance.js');
    const starting = startInstance({ config, logger: createLogger(config.LOG_LEVEL), announce });
    let running: Instance | null = null;
    onStopSignals(
      // A start under way is finished first: it is a matter of seconds, and leaves nothing half done.
      () => void starting.then(stop).catch(endWith),
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
