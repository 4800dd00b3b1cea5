class Code {}
