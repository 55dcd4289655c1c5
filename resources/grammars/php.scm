; Definitions
(namespace_definition name: (_) @name) @definition.namespace
(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(enum_case name: (_) @name) @definition.enum_member
(function_definition name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(const_element . (name) @name) @definition.constant
(property_element name: (variable_name (name) @name)) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name))) (#eq? @_define "define")) @definition.constant

; Imports
(namespace_use_declaration (namespace_use_clause (qualified_name (name) @import.name) @import.source alias: (_)? @import.alias))
(namespace_use_declaration (namespace_use_clause . (name) @import.name @import.source alias: (_)? @import.alias))
(namespace_use_declaration (namespace_name) @import.source body: (namespace_use_group (namespace_use_clause . (name) @import.source @import.name alias: (_)? @import.alias)))
(namespace_use_declaration (namespace_name) @import.source body: (namespace_use_group (namespace_use_clause . (qualified_name (name) @import.name) @import.source alias: (_)? @import.alias)))

; References
(function_call_expression function: (name) @name) @reference.call
(function_call_expression function: (qualified_name (name) @name)) @reference.call
(member_call_expression object: (_) @receiver name: (name) @name) @reference.call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @reference.call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @reference.call
(object_creation_expression (name) @name) @reference.call
(object_creation_expression (qualified_name (namespace_name) @receiver (name) @name)) @reference.call
(base_clause (name) @name) @reference.extends
(base_clause (qualified_name (namespace_name) @receiver (name) @name)) @reference.extends
(class_interface_clause (qualified_name (namespace_name) @receiver (name) @name)) @reference.implements
(class_interface_clause (name) @name) @reference.implements
(class_declaration body: (declaration_list (use_declaration (name) @name))) @reference.implements
(named_type (name) @name @reference.usage)
