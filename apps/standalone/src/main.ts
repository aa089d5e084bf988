import { createLogger, explainFailure, readConfig, type Config } from '#platform';
import { startInstance, type Instance } from './instance';
import { onStopSignals } from './stop-signals';
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

function end(error: unknown, config?: Config): never {
  process.stderr.write(`drawbridge: ${explainFailure(error, config)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig();
    const starting = startInstance({ config, logger: createLogger(config.LOG_LEVEL), announce });
    let running: Instance | null = null;
    onStopSignals(
      // A start under way is finished first: it is a matter of seconds, and leaves nothing half done.
      () => void starting.then(stop).catch(end),
      () => (running ? running.hurry() : process.exit(1)),
    );
    running = await starting;
    announce(welcome(running));
    end(await running.failed, config);
  } catch (error) {
    end(error, config);
  }
}

void main();
