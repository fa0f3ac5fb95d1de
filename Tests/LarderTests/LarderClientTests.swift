import Larder
