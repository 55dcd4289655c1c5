; Definitions
(module name: (constant) @name) @definition.module
(module name: (scope_resolution name: (constant) @name)) @definition.module
(class name: (constant) @name) @definition.class
(class name: (scope_resolution name: (constant) @name)) @definition.class
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name) @definition.constant
(alias name: (_) @name) @definition.method
(call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name @definition.property) (#any-of? @_attribute "attr_accessor" "attr_reader" "attr_writer"))

; Local names
(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
[(method) (singleton_method) (do_block) (block) (lambda)] @scope

; Imports
(call method: (identifier) @_require arguments: (argument_list (string (string_content) @import.source)) (#eq? @_require "require_relative")) @import.all

; Imports
(call method: (identifier) @_require arguments: (argument_list (string (string_content) @import.source @import.all)) (#any-of? @_require "require" "require_relative" "load"))

; References
(call !receiver method: (identifier) @name) @reference.call
(call receiver: (_) @receiver method: (identifier) @name) @reference.call
(superclass (constant) @name) @reference.extends
(superclass (scope_resolution name: (constant) @name)) @reference.extends
(call method: (identifier) @_include arguments: (argument_list (constant) @name) (#any-of? @_include "include" "extend" "prepend")) @reference.implements
(constant) @name @reference.usage
