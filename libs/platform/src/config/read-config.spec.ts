import { ConfigError } from './config-error';
import { readConfig, refusedValues } from './read-config';
import { VARIABLES } from './table';

describe('the configuration', () => {
  it('has a value for every variable that is not optional when nothing is set', () => {
    const config: Readonly<Record<string, unknown>> = readConfig({});
    for (const [name, row] of Object.entries(VARIABLES)) {
      expect([name, config[name] !== undefined]).toEqual([name, row.fallback !== undefined]);
    }
  });

  it('treats an empty value as absent, and trims others', () => {
    expect(readConfig({ PORT: '', HOST: ' ', LOG_LEVEL: ' debug ' })).toMatchObject({
      PORT: 8080,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'debug',
    });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it('refuses one port for clients and for metrics', () => {
    const same = { PORT: '8087', METRICS_PORT: '8087' };
    const sentence = 'METRICS_PORT and PORT are both 8087: give them different ports.';
    expect(() => readConfig(same)).toThrow(new ConfigError(sentence));
    expect(refusedValues(same)).toEqual([sentence]);
    expect(readConfig({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ PORT: 0, METRICS_PORT: 0 });
  });

  it('names all variables that are refused', () => {
    const wrong = { PORT: '80800', OUTPUT: 'xml' };
    const sentences = [
      "PORT is '80800', but must be a whole number from 0 to 65535.",
      "OUTPUT is 'xml', but must be one of text, json.",
    ];
    expect(() => readConfig(wrong)).toThrow(new ConfigError(sentences));
    expect(refusedValues(wrong)).toEqual(sentences);
  });
});
