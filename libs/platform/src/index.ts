export { ConfigError } from './config/config-error';
export type { Cidr } from './config/parsers';
export { readConfig } from './config/read-config';
export { VARIABLES, type Config, type Variable } from './config/table';
export { createLogger, type Logger } from './logging';
export { PRODUCT_NAME, PRODUCT_VERSION, PROTOCOL_VERSION } from './version';
