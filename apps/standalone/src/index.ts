export { startInstance, type Instance } from './instance';
