export { startInstance, type Instance, type InstanceOptions } from './instance';
